import Foundation
import Testing

@testable import StreamsHTTP

/// Which responses are stored, with which fields, and for how long they are fresh.
@Suite struct StoredResponseTests {
    private static let later = (cacheDate + 3600).httpText
    private static let now = cacheDate.httpText

    // MARK: Storing

    @Test(
        arguments: [
            (200, ["Cache-Control": "max-age=60"]), (200, ["Expires": later]), (200, ["ETag": "\"1\""]),
            (200, ["Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"]), (599, ["Cache-Control": "max-age=60"]),
            (302, ["Cache-Control": "max-age=60", "Location": "/"]), (404, ["ETag": "\"1\""]),
            (200, ["Cache-Control": "no-cache", "ETag": "\"1\""]), (201, ["Cache-Control": "public", "ETag": "\"1\""]),
            (200, ["Cache-Control": "no-store, must-understand, max-age=60"]),
            (200, ["Cache-Control": "max-age=0, stale-while-revalidate=60"]),
            (200, ["Cache-Control": "max-age=0, stale-if-error=60"]), (200, ["Cache-Control": "private, max-age=60"]),
        ] as [(Int, HTTPHeaders)])
    func storesWhatCanBeUsed(status: Int, headers: HTTPHeaders) {
        #expect(StoredResponse.stored(HTTPStatus(status), headers) != nil)
    }

    @Test(
        arguments: [
            (200, [:]), (200, ["Cache-Control": "max-age=0"]), (200, ["Expires": "0"]),
            (200, ["Cache-Control": "no-store, max-age=60"]), (200, ["Cache-Control": "no-cache, max-age=60"]),
            (206, ["Cache-Control": "max-age=60"]), (304, ["Cache-Control": "max-age=60"]),
            (407, ["Cache-Control": "max-age=60"]), (416, ["Cache-Control": "max-age=60"]),
            (201, ["ETag": "\"1\""]), (599, ["Cache-Control": "no-store, must-understand, max-age=60"]),
            (599, ["Cache-Control": "must-understand, max-age=60"]),
            (200, ["Cache-Control": "max-age=60", "Vary": "*"]),
            (200, ["Cache-Control": "max-age=60", "Vary": "A, *"]),
            (200, ["Cache-Control": "max-age=60", "Vary": "a b"]),
            (200, ["Cache-Control": "max-age=60", "Vary": (0..<17).map { "X-\($0)" }.joined(separator: ",")]),
            (200, ["Cache-Control": "max-age=0, must-revalidate, stale-if-error=60"]),
            (200, ["Cache-Control": "max-age=60", "X": "a\u{1}b"]),
            (200, ["Cache-Control": "max-age=60", "Age": "60"]),
        ] as [(Int, HTTPHeaders)])
    func doesNotStoreOthers(status: Int, headers: HTTPHeaders) {
        #expect(StoredResponse.stored(HTTPStatus(status), headers) == nil)
    }

    @Test func requestsDecideToo() {
        let headers: HTTPHeaders = ["Cache-Control": "max-age=60"]
        #expect(StoredResponse.stored(headers, for: .cached(.head)) == nil)
        #expect(StoredResponse.stored(headers, for: .cached(.put)) == nil)
        #expect(StoredResponse.stored(headers, for: .cached(.get, "http://a/", ["Range": "bytes=0-1"])) == nil)
        #expect(StoredResponse.stored(headers, for: .cached(.get, "http://a/", ["Cache-Control": "no-store"])) == nil)
        #expect(StoredResponse.stored(headers, for: .cached { $0.cache.mode = .unstored }) == nil)
        #expect(StoredResponse.stored(headers, for: .cached { $0.isUpgrade = true }) == nil)
        #expect(StoredResponse.stored(headers, for: .cached { $0.body = .text("a") }) == nil)
        #expect(StoredResponse.stored(headers, for: .cached(.get, "http://a/", ["If-None-Match": "\"1\""])) != nil)
    }

    @Test func staleResponsesAreStoredForAProgramThatUsesThem() {
        let request = TransportRequest.cached { $0.cache.staleIfError = .seconds(60) }
        #expect(StoredResponse.stored([:], for: request) != nil)
        #expect(StoredResponse.stored(201, [:], for: request) == nil)
        #expect(StoredResponse.stored(["Cache-Control": "no-cache"], for: request) == nil)
        #expect(StoredResponse.stored(["Cache-Control": "max-age=0, must-revalidate"], for: request) == nil)
    }

    /// RFC 9110, section 9.3.3.
    @Test func aPostIsStoredIfItIsTheRepresentation() {
        let request = TransportRequest.cached(.post, "http://a.example/x?y")
        for (location, isStored) in [
            ("/x?y", true), ("http://A.example:80/x?y", true), ("?y", true), ("/x", false),
            ("http://b.example/x?y", false),
            ("https://a.example/x?y", false), ("", true),
        ] {
            let headers: HTTPHeaders = ["Cache-Control": "max-age=60", "Content-Location": location]
            #expect((StoredResponse.stored(headers, for: request) != nil) == isStored, "\(location)")
        }
        #expect(StoredResponse.stored(["Cache-Control": "max-age=60"], for: request) == nil)
        #expect(StoredResponse.stored(["ETag": "\"1\"", "Content-Location": "/x?y"], for: request) == nil)
        #expect(
            StoredResponse.stored(404, ["Cache-Control": "max-age=60", "Content-Location": ""], for: request) == nil)
    }

    @Test func fieldsOfTheExchangeAreNotStored() throws {
        var headers: HTTPHeaders = [
            "Cache-Control": "max-age=60, no-cache=\"X-Secret, x-other\"", "Connection": "x-hop, close", "X-Hop": "1",
            "Keep-Alive": "1", "Transfer-Encoding": "chunked", "TE": "a", "Trailer": "b", "Upgrade": "c",
            "Proxy-Authenticate": "d", "Set-Cookie": "e=f", "x-secret": "g", "X-Other": "h", "X-Kept": "i",
        ]
        headers.add("set-cookie", "j=k")
        headers.add("X-Kept", "l")
        let stored = try #require(StoredResponse.stored(headers))
        let kept: HTTPHeaders = ["Cache-Control": "max-age=60, no-cache=\"X-Secret, x-other\"", "X-Kept": "i"]
        #expect(stored.headers == kept + ["X-Kept": "l"])
    }

    @Test func decodedBodiesAreKnown() throws {
        let headers: HTTPHeaders = ["Cache-Control": "max-age=60", "Content-Encoding": "gzip", "Content-Length": "5"]
        for isDecoded in [false, true] {
            let head = HTTPResponse.received(.ok, headers)
            let stored = StoredResponse(
                storing: isDecoded ? head.removingFieldsOfCoding() : head, for: .cached(), identity: nil,
                requestTime: cacheDate, responseTime: cacheDate)
            #expect(stored?.isDecoded == isDecoded)
            #expect(stored?.headers.contains("Content-Encoding") == !isDecoded)
        }
    }

    // MARK: Freshness

    @Test(
        arguments: [
            (["Cache-Control": "max-age=60"], 60), (["Cache-Control": "max-age=60", "Expires": later], 60),
            (["Expires": later, "Date": now], 3600), (["Expires": later], 3600),
            (["Expires": later, "Date": "x"], 3600),
            (["Expires": later, "Date": (cacheDate - 60).httpText], 3660), (["Expires": now, "ETag": "\"1\""], 0),
            (["Expires": "Mon, 1 Jan 2040 00:00:00 GMT", "ETag": "\"1\""], 0),
            (["Last-Modified": (cacheDate - 1000).httpText], 100),
            (["Last-Modified": (cacheDate - 1000).httpText, "Date": (cacheDate - 500).httpText], 50),
            (["Last-Modified": (cacheDate - 1e9).httpText], 604_800), (["Last-Modified": later], 0),
            (["ETag": "\"1\""], 0),
            (["Cache-Control": "max-age=x", "Expires": later, "ETag": "\"1\""], 0),
        ] as [(HTTPHeaders, Int64)])
    func determinesTheLifetime(headers: HTTPHeaders, seconds: Int64) throws {
        #expect(try #require(StoredResponse.stored(headers)).freshnessLifetime == .seconds(seconds))
    }

    @Test func differentDatesOfExpiryAreStale() throws {
        var headers: HTTPHeaders = ["Expires": Self.later, "ETag": "\"1\""]
        headers.add("Expires", Self.later)
        #expect(try #require(StoredResponse.stored(headers)).freshnessLifetime == .seconds(3600))
        headers.add("Expires", (cacheDate + 7200).httpText)
        #expect(try #require(StoredResponse.stored(headers)).freshnessLifetime == .zero)
    }

    @Test func noLifetimeIsGuessedForAQuery() throws {
        let modified: HTTPHeaders = ["Last-Modified": (cacheDate - 1000).httpText]
        let request = TransportRequest.cached(.get, "http://a.example/x?y")
        #expect(try #require(StoredResponse.stored(modified, for: request)).freshnessLifetime == .zero)
        let explicit = modified + ["Cache-Control": "max-age=5"]
        #expect(try #require(StoredResponse.stored(explicit, for: request)).freshnessLifetime == .seconds(5))
        let fragment = TransportRequest.cached(.get, "http://a.example/x#?y")
        #expect(try #require(StoredResponse.stored(modified, for: fragment)).freshnessLifetime == .seconds(100))
    }

    /// RFC 9111, section 4.2.3.
    @Test(
        arguments: [
            ([:], 0), (["Age": "30"], 34), (["Date": (cacheDate - 50).httpText], 50),
            (["Date": (cacheDate - 50).httpText, "Age": "30"], 50),
            (["Date": (cacheDate - 10).httpText, "Age": "30"], 34),
            (["Date": (cacheDate + 50).httpText], 4), (["Age": "x"], 4), (["Age": "30, 5"], 34), (["Age": " 30 "], 34),
            (["Age": "-30"], 4), (["Age": "99999999999"], 2_147_483_652), (["Date": "x"], 4),
        ] as [(HTTPHeaders, Int64)])
    func determinesTheAge(headers: HTTPHeaders, seconds: Int64) throws {
        let response = StoredResponse(
            storing: .received(.ok, headers + ["ETag": "\"1\""]), for: .cached(), identity: nil,
            requestTime: cacheDate - 4, responseTime: cacheDate)
        let stored = try #require(response)
        #expect(stored.age(at: cacheDate) == .seconds(max(seconds, 4)))
        #expect(stored.age(at: cacheDate + 7) == .seconds(max(seconds, 4) + 7))
    }

    @Test func aClockThatWasSetBackMakesNothingFresher() throws {
        let stored = try #require(StoredResponse.stored(["Cache-Control": "max-age=60"]))
        #expect(stored.isFresh(at: cacheDate + 59) && !stored.isFresh(at: cacheDate + 60))
        #expect(stored.isFresh(at: cacheDate - 59) && !stored.isFresh(at: cacheDate - 60))
        #expect(!stored.isFresh(at: .distantPast) && !stored.isFresh(at: .distantFuture))
        // The response before the request.
        var other = stored
        other.requestTime = cacheDate + 1000
        #expect(other.isFresh(at: cacheDate + 59))
    }
}

extension HTTPHeaders {
    fileprivate static func + (left: HTTPHeaders, right: HTTPHeaders) -> HTTPHeaders {
        var sum = left
        sum.append(contentsOf: right)
        return sum
    }
}
