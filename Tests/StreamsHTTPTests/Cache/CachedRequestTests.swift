import StreamsTesting
import Testing

@testable import StreamsHTTP

/// The requests of a client with a cache, against a scripted server, in virtual time.
struct CachedRequestTests {
    private let scheduler = TestScheduler()
    private let cache = HTTPCache(maxMemory: 4 << 20)

    private func client(
        _ transport: AnsweringTransport, _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
    ) -> HTTPClient {
        transport.client(scheduler) { configuration in
            configuration.cache = cache
            change(&configuration)
        }
    }

    /// A server that numbers its responses.
    private func server(_ headers: HTTPHeaders) -> AnsweringTransport {
        AnsweringTransport { request, number in
            .reply(.ok, headers, "\(request.lazyURL.pathAndQuery) \(number)")
        }
    }

    @Test func usesAFreshResponseWithoutARequest() async throws {
        let transport = server(["Cache-Control": "max-age=60", "ETag": "\"a\""])
        let client = client(transport)
        let first = try await client.response(for: HTTPRequest(.get, "/a?q"))
        #expect(first.cacheStatus?.description == "Streams; fwd=uri-miss; fwd-status=200; stored")
        scheduler.advance(by: .seconds(59))
        let second = try await client.response(for: HTTPRequest(.get, "/a?q"))
        #expect(second.text == "/a?q 1")
        #expect(second.headers["Age"] == "59")
        #expect(second.headers["ETag"] == "\"a\"")
        #expect(second.cacheStatus?.description == "Streams; hit; ttl=1")
        scheduler.advance(by: .seconds(1))
        #expect(try await client.response(for: HTTPRequest(.get, "/a?q")).text == "/a?q 2")
        #expect(try await client.response(for: HTTPRequest(.get, "/a")).text == "/a 3")
        #expect(transport.requests.value.count == 3)
    }

    @Test func answersHeadWithAStoredResponse() async throws {
        let transport = server(["Cache-Control": "max-age=60"])
        let client = client(transport)
        _ = try await client.response(for: HTTPRequest(.get, "/a"))
        let head = try await client.response(for: HTTPRequest(.head, "/a"))
        #expect(head.cacheStatus?.isHit == true)
        #expect(head.body.isEmpty)
        #expect(transport.requests.value.count == 1)
    }

    @Test func validatesAStaleResponse() async throws {
        let transport = AnsweringTransport { request, number in
            let headers: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"a\"", "X-Number": "\(number)"]
            return request.headers["If-None-Match"] == "\"a\""
                ? .reply(.notModified, headers) : .reply(.ok, headers, "A")
        }
        let client = client(transport)
        _ = try await client.response(for: HTTPRequest(.get, "/a"))
        scheduler.advance(by: .seconds(61))
        let validated = try await client.response(for: HTTPRequest(.get, "/a"))
        #expect(validated.text == "A")
        #expect(validated.status == .ok)
        #expect(validated.headers["X-Number"] == "2")
        #expect(validated.cacheStatus?.isValidated == true)
        #expect(validated.cacheStatus?.description == "Streams; fwd=stale; fwd-status=304; ttl=60")
        scheduler.advance(by: .seconds(59))
        #expect(try await client.response(for: HTTPRequest(.get, "/a")).cacheStatus?.isHit == true)
        #expect(transport.requests.value.count == 2)
        #expect(cache.statistics.validations == 1)
    }

    @Test func deliversThe304OfAConditionOfTheProgram() async throws {
        let transport = AnsweringTransport { request, _ in
            let headers: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"a\""]
            return request.headers.contains("If-None-Match") ? .reply(.notModified, headers) : .reply(.ok, headers, "A")
        }
        let client = client(transport) { $0.options.validation = .acceptAll }
        _ = try await client.response(for: HTTPRequest(.get, "/a"))
        let response = try await client.response(for: HTTPRequest(.get, "/a", headers: ["If-None-Match": "\"a\""]))
        #expect(response.status == .notModified)
        #expect(transport.requests.value.count == 2)
    }

    @Test(arguments: [AnsweringTransport.Answer.reply(.serviceUnavailable), .failure(.connection(.refused))])
    fileprivate func usesAStaleResponseWhileTheServerFails(_ failure: AnsweringTransport.Answer) async throws {
        let transport = AnsweringTransport { _, number in
            number == 1 ? .reply(.ok, ["Cache-Control": "max-age=60"], "A") : failure
        }
        let client = client(transport) { $0.options.cache.staleIfError = .seconds(3600) }
        _ = try await client.response(for: HTTPRequest(.get, "/a"))
        scheduler.advance(by: .seconds(3600))
        let stale = try await client.response(for: HTTPRequest(.get, "/a"))
        #expect(stale.text == "A")
        #expect(stale.cacheStatus?.isStale == true)
        #expect(transport.requests.value.count == 2)
        scheduler.advance(by: .seconds(61))
        await #expect(throws: HTTPError.self) { try await client.response(for: HTTPRequest(.get, "/a")) }
    }

    @Test func revalidatesInTheBackground() async throws {
        let transport = server(["Cache-Control": "max-age=60, stale-while-revalidate=60"])
        let client = client(transport)
        _ = try await client.response(for: HTTPRequest(.get, "/a"))
        scheduler.advance(by: .seconds(61))
        let stale = try await client.response(for: HTTPRequest(.get, "/a"))
        #expect(stale.text == "/a 1")
        #expect(stale.cacheStatus?.isStale == true)
        #expect(try await client.response(for: HTTPRequest(.get, "/a")).text == "/a 2")
        #expect(transport.requests.value.count == 2)
    }

    @Test func refusesARequestForWhatIsNotStored() async throws {
        let transport = server(["Cache-Control": "max-age=60"])
        let client = client(transport) { $0.options.retry = RetryPolicy(maxRetries: 3) }
        let request = HTTPRequest(.get, "/a").settingOptions { $0.cache.mode = .storedOnly }
        let error = await #expect(throws: HTTPError.self) { try await client.response(for: request) }
        #expect(error?.status == .gatewayTimeout)
        #expect(error?.attempt == 1)
        #expect(error?.response?.cacheStatus?.isRefused == true)
        #expect(transport.requests.value.isEmpty)
        _ = try await client.response(for: HTTPRequest(.get, "/a"))
        #expect(try await client.response(for: request).text == "/a 1")
    }

    @Test func neitherUsesNorStoresIfSaidSo() async throws {
        let transport = server(["Cache-Control": "max-age=60"])
        let client = client(transport)
        let request = HTTPRequest(.get, "/a").settingOptions { $0.cache.mode = .unstored }
        _ = try await client.response(for: request)
        #expect(cache.statistics.entries == 0)
        _ = try await client.response(for: HTTPRequest(.get, "/a"))
        #expect(try await client.response(for: request).text == "/a 3")
        #expect(try await client.response(for: HTTPRequest(.get, "/a")).text == "/a 2")
    }

    @Test func forgetsWhatAnUnsafeMethodChanges() async throws {
        let transport = server(["Cache-Control": "max-age=60"])
        let client = client(transport)
        _ = try await client.response(for: HTTPRequest(.get, "/a"))
        _ = try await client.response(for: HTTPRequest(.delete, "/a"))
        #expect(try await client.response(for: HTTPRequest(.get, "/a")).text == "/a 3")
    }

    @Test func keepsCredentialsApart() async throws {
        let transport = AnsweringTransport { request, _ in
            .reply(.ok, ["Cache-Control": "max-age=60"], request.headers["Authorization"] ?? "nobody")
        }
        let client = client(transport)
        for _ in 1...2 {
            for user in ["A", "B"] {
                let request = HTTPRequest(.get, "/a", headers: ["Authorization": user])
                #expect(try await client.response(for: request).text == user)
            }
            #expect(try await client.response(for: HTTPRequest(.get, "/a")).text == "nobody")
        }
        #expect(transport.requests.value.count == 3)
    }

    @Test func keepsVariantsApart() async throws {
        let transport = AnsweringTransport { request, _ in
            .reply(
                .ok, ["Cache-Control": "max-age=60", "Vary": "Accept-Language"],
                request.headers["Accept-Language"] ?? "any")
        }
        let client = client(transport)
        for _ in 1...2 {
            for language in ["de", "fr"] {
                let request = HTTPRequest(.get, "/a", headers: ["Accept-Language": language])
                #expect(try await client.response(for: request).text == language)
            }
        }
        #expect(transport.requests.value.count == 2)
    }

    @Test func setsACookieOnce() async throws {
        let transport = server(["Cache-Control": "max-age=60", "Set-Cookie": "a=b"])
        let jar = CookieJar()
        let client = client(transport) { $0.cookies = jar }
        _ = try await client.response(for: HTTPRequest(.get, "/a"))
        jar.removeAll()
        let stored = try await client.response(for: HTTPRequest(.get, "/a"))
        #expect(stored.cacheStatus?.isHit == true)
        #expect(!stored.headers.contains("Set-Cookie"))
        #expect(jar.cookies.isEmpty)
    }

    @Test func removesWhatAProgramRemoves() async throws {
        let transport = server(["Cache-Control": "max-age=60"])
        let client = client(transport)
        _ = try await client.response(for: HTTPRequest(.get, "/a"))
        _ = try await client.response(for: HTTPRequest(.get, "/b"))
        cache.remove(for: try #require(URL(string: "http://h/a")))
        #expect(try await client.response(for: HTTPRequest(.get, "/a")).text == "/a 3")
        #expect(try await client.response(for: HTTPRequest(.get, "/b")).text == "/b 2")
        try await cache.removeAll()
        #expect(try await client.response(for: HTTPRequest(.get, "/b")).text == "/b 4")
    }

    @Test func aPreviewIsNotHidden() async throws {
        let client = client(server(["Cache-Control": "max-age=60"]))
        _ = try await client.response(for: HTTPRequest(.get, "/a"))
        let error = await #expect(throws: HTTPError.self) {
            try await client.previewing(.failure(HTTPStatus.notFound)).response(for: HTTPRequest(.get, "/a"))
        }
        #expect(error?.status == .notFound)
    }

    @Test func countsUses() async throws {
        let transport = server(["Cache-Control": "max-age=60"])
        let client = client(transport)
        for _ in 1...3 { _ = try await client.response(for: HTTPRequest(.get, "/a")) }
        let statistics = cache.statistics
        #expect((statistics.hits, statistics.misses, statistics.entries) == (2, 1, 1))
    }

    @Test func tellsMonitorsOfNoConnection() async throws {
        let monitor = MetricsMonitor()
        let transport = server(["Cache-Control": "max-age=60"])
        let client = client(transport) { $0.monitors = [monitor] }
        for _ in 1...2 { _ = try await client.response(for: HTTPRequest(.get, "/a")) }
        let metrics = try #require(monitor.metrics.value.last)
        let exchange = try #require(metrics.exchanges.last)
        #expect(metrics.exchanges.count == 1)
        #expect(exchange.measured?.isConnectionReused == nil)
        #expect(exchange.measured?.bytesReceived == 0)
    }
}

extension HTTPResponse<Data> {
    fileprivate var text: String { String(decoding: body, as: UTF8.self) }
}
