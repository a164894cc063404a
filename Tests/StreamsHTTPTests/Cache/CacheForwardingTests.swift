import Foundation
import Testing

@testable import StreamsHTTP

/// The use of the response to a request that was sent, and the change to the stored one.
@Suite struct CacheForwardingTests {
    private static let stored: HTTPHeaders = [
        "Cache-Control": "max-age=60", "ETag": "\"1\"", "X-Kept": "a", "X-Old": "b", "Content-Length": "10",
        "Date": cacheDate.httpText, "Age": "7",
    ]
    private static let time = cacheDate + 100

    /// Returns the request that is sent 100 seconds after a response has been stored.
    private func forwarding(
        _ headers: HTTPHeaders = stored, _ status: HTTPStatus = .ok, _ request: TransportRequest = .cached(),
        after seconds: TimeInterval = 100
    ) throws -> CacheForwarding {
        var cache = CacheRecords()
        cache.store(.cached { $0.cache.staleIfError = .seconds(1) }, headers, status)
        return try #require(cache.decision(request, after: seconds).forwarded)
    }

    private func result(
        _ forwarding: CacheForwarding, _ status: HTTPStatus, _ headers: HTTPHeaders = [:]
    ) -> CacheResult {
        forwarding.result(
            of: .received(status, headers), requestTime: Self.time - 1, responseTime: Self.time)
    }

    // MARK: 304

    @Test func aValidatedResponseIsUpdatedAndServed() throws {
        let headers: HTTPHeaders = [
            "ETag": "\"1\"", "Cache-Control": "max-age=30", "X-Old": "c", "X-New": "d", "Content-Length": "0",
            "Content-Encoding": "gzip", "Connection": "x-hop", "X-Hop": "e", "Set-Cookie": "f=g",
            "Date": Self.time.httpText,
        ]
        guard case .serve(let serving, .update(let updated)) = result(try forwarding(), 304, headers) else {
            Issue.record("not served")
            return
        }
        let expected: HTTPHeaders = [
            "X-Kept": "a", "Content-Length": "10", "ETag": "\"1\"", "Cache-Control": "max-age=30", "X-Old": "c",
            "X-New": "d", "Date": Self.time.httpText,
        ]
        #expect(updated.headers == expected && updated.status == .ok && serving.stored == updated)
        #expect((updated.requestTime, updated.responseTime) == (Self.time - 1, Self.time))
        #expect(updated.bodyLength == 10 && updated.isComplete)
        #expect(updated.control.maxAge == .seconds(30) && updated.timeToLive(at: Self.time) == .seconds(29))
        #expect(serving.status.description == "Streams; fwd=stale; fwd-status=304; ttl=29")
        #expect(serving.status.isValidated && !serving.status.isHit)
    }

    /// An age that the server no longer tells is not that of the updated response.
    @Test func aValidationMakesTheResponseFreshAgain() throws {
        guard case .serve(let serving, .update(let updated)) = result(try forwarding(), 304) else {
            Issue.record("not served")
            return
        }
        #expect(updated.headers["Age"] == nil && updated.headers["Date"] == nil && updated.headers["X-Old"] == "b")
        #expect(serving.age == .seconds(1) && updated.isFresh(at: Self.time))
    }

    @Test(
        arguments: [
            ("\"1\"", "\"1\"", true), ("\"1\"", "W/\"1\"", true), ("W/\"1\"", "\"1\"", true), ("\"1\"", "\"2\"", false),
            ("\"1\"", nil, true), ("1", "1", true), ("\"1\"", "\"W/1\"", false),
        ] as [(String, String?, Bool)])
    func a304OfAnotherTagIsNotUsed(stored: String, received: String?, isUsed: Bool) throws {
        var headers = Self.stored
        headers.set("ETag", stored)
        let result = result(try forwarding(headers), 304, received.map { ["ETag": $0] } ?? [:])
        switch result {
        case .serve(_, .update(let updated)):
            #expect(isUsed && updated.headers["ETag"] == received ?? stored)
        case .resend(let next):
            #expect(!isUsed && !next.isConditional && next.stored == nil)
            #expect(next.request.headers.isEmpty && next.original.headers.isEmpty)
            // A 304 without a condition is the server's.
            guard case .deliver(.none, _) = self.result(next, 304) else {
                Issue.record("not delivered")
                return
            }
        default: Issue.record("\(result)")
        }
    }

    @Test func aDateIsAValidatorWithoutATag() throws {
        let modified = "Mon, 01 Jan 2024 00:00:00 GMT"
        let stored: HTTPHeaders = ["Cache-Control": "max-age=60", "Last-Modified": modified]
        for (received, isUsed) in [
            (modified, true), ("Monday, 01-Jan-24 00:00:00 GMT", true), ("Tue, 02 Jan 2024 00:00:00 GMT", false),
        ] {
            let result = result(try forwarding(stored), 304, ["Last-Modified": received])
            if case .resend = result { #expect(!isUsed) } else { #expect(isUsed) }
        }
        guard case .resend = result(try forwarding(stored), 304, ["ETag": "\"1\""]) else {
            Issue.record("a tag that is not that of the stored response")
            return
        }
    }

    @Test func a304OfTheProgramsConditionIsThePrograms() throws {
        let request = TransportRequest.cached(.get, "http://a.example/x", ["If-None-Match": "\"1\""])
        guard case .deliver(.none, let status) = result(try forwarding(Self.stored, .ok, request), 304) else {
            Issue.record("not delivered")
            return
        }
        #expect(status.forwardStatus == .notModified && !status.isValidated)
    }

    @Test func a304CanEndTheStorage() throws {
        for headers in [["Cache-Control": "no-store"], ["Vary": "*"]] as [HTTPHeaders] {
            guard case .serve(_, .remove) = result(try forwarding(), 304, headers) else {
                Issue.record("\(headers)")
                continue
            }
        }
    }

    @Test func a304CanChangeTheSelectingFields() throws {
        guard case .serve(_, .update(let updated)) = result(try forwarding(), 304, ["Vary": "Accept"]) else {
            Issue.record("not served")
            return
        }
        #expect(updated.isSelected(by: [:]) && !updated.isSelected(by: ["Accept": "a"]))
    }

    /// The server has told nothing about the range: it is taken from the stored response, all of which is fresh again.
    @Test func aValidationForARangeIsOfTheWholeResponse() throws {
        let request = TransportRequest.cached(.get, "http://a.example/x", ["Range": "bytes=-3"])
        let forwarding = try forwarding(Self.stored, .ok, request)
        #expect(forwarding.request.headers == ["Range": "bytes=-3", "If-None-Match": "\"1\""])
        guard case .serve(let serving, .update(let updated)) = result(forwarding, 304) else {
            Issue.record("not served")
            return
        }
        #expect(serving.range == 7..<10 && updated.bodyLength == 10 && updated.isFresh(at: Self.time))
        // A part does not tell whether the rest has changed.
        guard case .deliver(.none, _) = result(forwarding, 206) else {
            Issue.record("not delivered")
            return
        }
        guard case .resend(let next) = result(forwarding, 304, ["ETag": "\"2\""]) else {
            Issue.record("not sent again")
            return
        }
        #expect(next.request.headers == ["Range": "bytes=-3"])
    }

    // MARK: Other responses

    @Test func anotherResponseReplacesTheStoredOne() throws {
        guard case .deliver(.store(let response), let status) = result(try forwarding(), 200, ["ETag": "\"2\""]) else {
            Issue.record("not stored")
            return
        }
        #expect(response.headers == ["ETag": "\"2\""] && !response.isComplete && response.bodyLength == 0)
        #expect(status.description == "Streams; fwd=stale; fwd-status=200; stored")
    }

    /// The stored response is outdated, even if the new one is not stored.
    @Test(
        arguments: [
            (200, CacheChange.remove), (204, .remove), (302, .remove), (404, .remove), (410, .remove), (500, .none),
            (206, .none),
            (403, .none),
        ] as [(Int, CacheChange)])
    func aResponseThatIsNotStoredRemovesTheStoredOne(status: Int, change: CacheChange) throws {
        guard case .deliver(change, let result) = result(try forwarding(), HTTPStatus(status)) else {
            Issue.record("\(status)")
            return
        }
        #expect(!result.isStored)
    }

    @Test func nothingIsStoredForRequestsThatForbidIt() throws {
        for request in [
            TransportRequest.cached { $0.cache.mode = .unstored },
            .cached(.get, "http://a/", ["Cache-Control": "no-store"]),
            .cached(.put), .cached(.get, "http://a/", ["Range": "bytes=0-1,3-4"]),
        ] {
            guard case .deliver(.none, _) = result(try forwarding(Self.stored, .ok, request), 200, Self.stored) else {
                Issue.record("\(request)")
                continue
            }
        }
    }

    @Test func theResponseToAProgramsConditionIsStored() throws {
        let request = TransportRequest.cached(.get, "http://a.example/x", ["If-None-Match": "\"0\""])
        guard case .deliver(.store, _) = result(try forwarding(Self.stored, .ok, request), 200, Self.stored) else {
            Issue.record("not stored")
            return
        }
    }

    // MARK: HEAD (RFC 9111, section 4.3.5)

    private func resultOfHead(_ status: HTTPStatus, _ headers: HTTPHeaders) throws -> CacheResult {
        result(try forwarding(Self.stored, .ok, .cached(.head)), status, headers)
    }

    @Test func aHeadUpdatesWhatItDescribes() throws {
        let headers: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "max-age=1000", "Content-Length": "10"]
        guard case .deliver(.update(let updated), let status) = try resultOfHead(200, headers) else {
            Issue.record("not updated")
            return
        }
        #expect(updated.isFresh(at: Self.time) && updated.headers["X-Kept"] == "a" && updated.bodyLength == 10)
        #expect(status.isStored == false && status.forwardReason == .stale)
    }

    @Test(
        arguments: [
            (200, ["ETag": "\"2\""], CacheChange.remove), (200, ["Content-Length": "11"], .remove),
            (204, ["ETag": "\"1\""], .remove), (200, ["Cache-Control": "no-store"], .remove),
            (404, ["ETag": "\"1\""], .remove), (410, [:], .remove), (403, [:], .none), (500, ["ETag": "\"2\""], .none),
            (304, [:], .none),
        ] as [(Int, HTTPHeaders, CacheChange)])
    func aHeadRemovesWhatItContradicts(status: Int, headers: HTTPHeaders, change: CacheChange) throws {
        guard case .deliver(change, _) = try resultOfHead(HTTPStatus(status), headers) else {
            Issue.record("\(status) \(headers)")
            return
        }
    }

    // MARK: stale-if-error (RFC 5861, section 4)

    private func fallback(
        _ control: String, after seconds: TimeInterval, request: String? = nil, program: Duration? = nil,
        _ change: (inout TransportRequest) -> Void = { _ in }
    ) throws -> CacheServing? {
        var headers = HTTPHeaders()
        if let request { headers.add("Cache-Control", request) }
        let request = TransportRequest.cached(.get, "http://a.example/x", headers) {
            $0.cache.staleIfError = program
            change(&$0)
        }
        let forwarding = try forwarding(
            ["Cache-Control": control, "ETag": "\"1\""], .ok, request, after: seconds)
        let now = cacheDate + seconds
        let serving = forwarding.fallback(after: .connection(.refused), at: now)
        for status in [500, 502, 503, 504] as [HTTPStatus] {
            let result = forwarding.result(of: .received(status, [:]), requestTime: now, responseTime: now)
            guard case .serve(let other, .none) = result else {
                #expect(serving == nil)
                continue
            }
            #expect(other.stored == serving?.stored && other.status.forwardStatus == status)
        }
        for status in [501, 400, 404, 429] as [HTTPStatus] {
            let result = forwarding.result(of: .received(status, [:]), requestTime: now, responseTime: now)
            guard case .deliver = result else {
                Issue.record("\(status)")
                continue
            }
        }
        return serving
    }

    @Test func aStaleResponseAnswersInPlaceOfAnError() throws {
        let serving = try #require(try fallback("max-age=60, stale-if-error=10", after: 70))
        #expect(serving.status.description == "Streams; fwd=stale; ttl=-10" && serving.status.isStale)
        #expect(try fallback("max-age=60, stale-if-error=10", after: 71) == nil)
        #expect(try fallback("max-age=60", after: 61) == nil)
        #expect(try fallback("max-age=60", after: 70, request: "stale-if-error=10") != nil)
        #expect(try fallback("max-age=60", after: 71, request: "stale-if-error=10") == nil)
        #expect(try fallback("max-age=60", after: 70, program: .seconds(10)) != nil)
        #expect(try fallback("max-age=60", after: 71, program: .seconds(10)) == nil)
        // The longest of them counts.
        #expect(try fallback("max-age=60, stale-if-error=20", after: 80, program: .seconds(10)) != nil)
        #expect(try fallback("max-age=60, stale-if-error=10", after: 80, program: .seconds(20)) != nil)
    }

    @Test func theServerCanForbidIt() throws {
        let program = Duration.seconds(1000)
        #expect(try fallback("max-age=60, must-revalidate, stale-if-error=10", after: 61, program: program) == nil)
        #expect(try fallback("max-age=60, no-cache, stale-if-error=10", after: 61, program: program) == nil)
        #expect(try fallback("max-age=60, no-cache", after: 1, program: program) == nil)
    }

    /// A fresh response that the program wanted to have validated is used, too.
    @Test func aFreshResponseAnswersInPlaceOfAnError() throws {
        let validate: (inout TransportRequest) -> Void = { $0.cache.mode = .validated }
        #expect(try fallback("max-age=60", after: 1, program: .zero, validate) != nil)
        #expect(try fallback("max-age=60, must-revalidate", after: 1, program: .zero, validate) != nil)
        #expect(try fallback("max-age=60, must-revalidate", after: 60, program: .zero, validate) == nil)
        #expect(try fallback("max-age=60", after: 1, validate) == nil)
    }

    @Test func aPartAnswersInPlaceOfAnError() throws {
        let part: (inout TransportRequest) -> Void = { $0.headers.add("Range", "bytes=2-3") }
        let serving = try #require(try fallback("max-age=60", after: 61, program: .seconds(1), part))
        #expect(serving.range == 2..<4)
        let other: (inout TransportRequest) -> Void = { $0.headers.add("Range", "bytes=10-") }
        #expect(try fallback("max-age=60", after: 61, program: .seconds(1), other) == nil)
    }

    @Test func aHeadAnswersInPlaceOfAnError() throws {
        #expect(try fallback("max-age=60", after: 61, program: .seconds(1)) { $0.method = .head } != nil)
    }

    @Test func onlyFailuresOfTheServerCount() throws {
        let forwarding = try forwarding(["Cache-Control": "max-age=60, stale-if-error=1000", "ETag": "\"1\""])
        let failures: [HTTPError.Reason] = [
            .connection(.refused), .connection(.hostNotResolved), .connection(.tlsHandshake), .connection(.circuitOpen),
            .timeout(.connect), .timeout(.idle), .timeout(.minimumRate), .transfer(.emptyReply),
            .transfer(.protocolError), .transfer(.receiveFailed),
        ]
        for reason in failures { #expect(forwarding.fallback(after: reason, at: Self.time) != nil, "\(reason)") }
        let others: [HTTPError.Reason] = [
            .connection(.untrustedCertificate), .connection(.publicKeyNotPinned), .connection(.rateLimited),
            .connection(.addressNotAllowed), .timeout(.total), .timeout(.queue), .transfer(.headTooLarge), .cancelled,
            .invalidRequest(.headerName),
        ]
        for reason in others { #expect(forwarding.fallback(after: reason, at: Self.time) == nil, "\(reason)") }
    }
}
