import Foundation
import Testing

@testable import StreamsHTTP

/// Whether a stored response is used, validated, or not used (RFC 9111, section 4).
@Suite struct CacheDecisionTests {
    private static let url = "http://a.example/x"
    private static let validators: HTTPHeaders = ["ETag": "W/\"1\"", "Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"]

    /// Returns the decision about a request, some seconds after a response with a `Cache-Control` has been stored.
    private func decision(
        _ control: String, _ request: String? = nil, after seconds: TimeInterval = 0, method: HTTPMethod = .get,
        _ change: (inout TransportRequest) -> Void = { _ in }
    ) -> CacheDecision {
        var cache = CacheRecords()
        var headers = Self.validators
        headers.set("Cache-Control", control)
        headers.set("Content-Digest", "sha-256=:a:")
        cache.store(.cached(), headers)
        var fields = HTTPHeaders()
        if let request { fields.add("Cache-Control", request) }
        return cache.decision(.cached(method, Self.url, fields, change), after: seconds)
    }

    // MARK: Fresh and stale

    @Test func freshResponsesAreServed() throws {
        let serving = try #require(decision("max-age=60", after: 59.5).served)
        #expect(serving.age == .milliseconds(59_500) && serving.range == nil)
        #expect(serving.status.description == "Streams; hit; ttl=0")
        #expect(serving.status.isHit && !serving.status.isStale)
        let head = serving.head(for: .cached())
        #expect(head.status == .ok && head.headers["Age"] == "59" && head.headers["ETag"] == "W/\"1\"")
        #expect(serving.bodyRange(for: .cached()) == 0..<10)
    }

    @Test func staleResponsesAreValidated() throws {
        let forwarding = try #require(decision("max-age=60", after: 60).forwarded)
        #expect(forwarding.reason == .stale && forwarding.isConditional && forwarding.stored != nil)
        #expect(forwarding.request.headers["If-None-Match"] == "W/\"1\"")
        #expect(forwarding.request.headers["If-Modified-Since"] == "Mon, 01 Jan 2024 00:00:00 GMT")
        #expect(forwarding.original.headers.isEmpty)
    }

    @Test func responsesThatNeedAValidationAreValidated() {
        #expect(decision("max-age=60, no-cache").reason == .request)
        #expect(decision("max-age=60, no-cache").forwarded?.isConditional == true)
        #expect(decision("max-age=60, must-revalidate").served != nil)
        #expect(decision("max-age=60, must-revalidate", "max-stale", after: 61).reason == .stale)
        #expect(decision("max-age=60, no-cache=\"a\"").served != nil)
    }

    @Test func nothingStoredIsAMiss() throws {
        let forwarding = try #require(CacheRecords().decision(.cached()).forwarded)
        #expect(forwarding.reason == .uriMiss && !forwarding.isConditional && forwarding.stored == nil)
        #expect(forwarding.request.headers.isEmpty)
    }

    @Test func staleResponsesWithoutValidatorsAreRequestedAgain() throws {
        var cache = CacheRecords()
        cache.store(.cached(), ["Cache-Control": "max-age=60"])
        let forwarding = try #require(cache.decision(.cached(), after: 60).forwarded)
        #expect(forwarding.reason == .stale && !forwarding.isConditional && forwarding.request.headers.isEmpty)
    }

    @Test func validatorsThatCannotBeSentAreNot() throws {
        for tag in ["\"a\u{1}\"", String(repeating: "a", count: 9000)] {
            var response = try #require(StoredResponse.stored(["Cache-Control": "max-age=60"]))
            response.headers.add("ETag", tag)
            response.headers.add("Last-Modified", "yesterday")
            #expect(response.conditionalFields.isEmpty)
        }
        var response = try #require(StoredResponse.stored(["Cache-Control": "max-age=60", "ETag": "\"1\""]))
        #expect(response.conditionalFields == ["If-None-Match": "\"1\""])
        response.headers.add("ETag", "\"2\"")
        #expect(response.conditionalFields.isEmpty)
    }

    @Test func incompleteResponsesAreCompleted() throws {
        var cache = CacheRecords()
        cache.store(.cached(), ["Cache-Control": "max-age=60", "ETag": "\"1\"", "Content-Length": "20"])
        let key = try #require(cache.lookup(.cached()).found?.key)
        var response = try #require(cache.records[key]?.response)
        response.isComplete = false
        cache.records[key] = .response(response)
        let forwarding = try #require(cache.decision(.cached()).forwarded)
        #expect(forwarding.reason == .partial && forwarding.stored == response)
        #expect(forwarding.request.headers["Range"] == "bytes=10-" && forwarding.original.headers.isEmpty)
        #expect(cache.decision(.cached { $0.cache.mode = .storedOnly }).isRefused)
        for request in [
            TransportRequest.cached(.head), .cached(.get, Self.url, ["Range": "bytes=0-1"]),
            .cached(.get, Self.url, ["Cookie": "a=b"]),
        ] {
            let forwarding = try #require(cache.decision(request).forwarded)
            #expect(forwarding.reason == .partial && forwarding.condition == nil && forwarding.stored == nil)
            #expect(forwarding.request.headers == request.headers)
        }
    }

    // MARK: The request's directives (RFC 9111, section 5.2.1)

    @Test(
        arguments: [
            ("no-cache", 1, "request"), ("max-age=0", 0, "request"), ("max-age=10", 10, "hit"),
            ("max-age=10", 11, "request"), ("max-age=x", 1, "request"), ("min-fresh=50", 10, "hit"),
            ("min-fresh=50", 11, "request"), ("min-fresh=x", 11, "hit"), ("max-stale", 1e6, "hit"),
            ("max-stale=10", 70, "hit"), ("max-stale=10", 71, "stale"), ("max-stale=x", 61, "stale"),
            ("max-stale=10, max-age=65", 66, "stale"), ("max-stale=10, min-fresh=1", 61, "stale"),
            ("no-store", 1, "request"), ("only-if-cached", 1, "hit"), ("only-if-cached", 61, "refused"),
            ("only-if-cached, max-stale=1", 61, "hit"), ("only-if-cached, no-cache", 1, "refused"),
            ("only-if-cached, no-store", 1, "refused"), ("x, no-transform", 1, "hit"),
        ] as [(String, TimeInterval, String)])
    func requestsAreObeyed(control: String, seconds: TimeInterval, result: String) {
        let decision = decision("max-age=60", control, after: seconds)
        let actual = decision.isRefused ? "refused" : decision.reason?.rawValue ?? "hit"
        #expect(actual == result)
    }

    @Test func staleServingIsTold() throws {
        let serving = try #require(decision("max-age=60", "max-stale", after: 61.5).served)
        #expect(serving.status.isStale && serving.status.description == "Streams; hit; ttl=-2")
    }

    // MARK: Modes

    @Test func theModeDecides() throws {
        #expect(decision("max-age=60") { $0.cache.mode = .unstored }.reason == .bypass)
        #expect(decision("max-age=60") { $0.cache.mode = .unstored }.forwarded?.request.headers.isEmpty == true)
        #expect(decision("max-age=60") { $0.cache.mode = .storedOnly }.served != nil)
        #expect(decision("max-age=60", after: 60) { $0.cache.mode = .storedOnly }.isRefused)
        #expect(decision("max-age=60", method: .post) { $0.cache.mode = .storedOnly }.isRefused)
        #expect(CacheRecords().decision(.cached { $0.cache.mode = .storedOnly }).isRefused)
        let refusal = CacheServing.refusal(of: .cached())
        #expect(refusal.status == .gatewayTimeout && refusal.declaredLength == 0)
    }

    @Test func aValidationIsForCachesOnTheWayToo() throws {
        let forwarding = try #require(decision("max-age=60") { $0.cache.mode = .validated }.forwarded)
        #expect(forwarding.reason == .request && forwarding.isConditional)
        #expect(forwarding.request.headers["Cache-Control"] == "max-age=0")
        let own = decision("max-age=60", "no-transform") { $0.cache.mode = .validated }.forwarded
        #expect(own?.request.headers["Cache-Control"] == "no-transform")
    }

    /// RFC 8246.
    @Test func immutableResponsesAreNotValidatedWhileFresh() {
        #expect(decision("max-age=60, immutable", after: 59) { $0.cache.mode = .validated }.served != nil)
        #expect(decision("max-age=60, immutable", after: 60) { $0.cache.mode = .validated }.reason == .stale)
        #expect(decision("max-age=60, immutable", "no-cache").reason == .request)
        #expect(decision("max-age=60, immutable, no-cache") { $0.cache.mode = .validated }.reason == .request)
    }

    @Test func whatIsStoredMayBeStaleForAsLongAsTheProgramAllows() {
        let change: (inout TransportRequest) -> Void = {
            $0.cache.mode = .storedOnly
            $0.cache.staleIfError = .seconds(10)
        }
        #expect(decision("max-age=60", after: 70, change).served?.status.isStale == true)
        #expect(decision("max-age=60", after: 71, change).isRefused)
        #expect(decision("max-age=60, must-revalidate", after: 61, change).isRefused)
        #expect(decision("max-age=60, no-cache", after: 1, change).isRefused)
        // In other modes, only a failure makes a stale response usable.
        #expect(decision("max-age=60", after: 61) { $0.cache.staleIfError = .seconds(10) }.reason == .stale)
    }

    // MARK: Requests that are not looked up

    @Test func othersAreForwarded() {
        for method in [HTTPMethod.post, .put, .options, "M-SEARCH"] {
            #expect(decision("max-age=60", method: method).reason == .method)
        }
        for name in ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "if-range"] {
            let decision = decision("max-age=60", after: 61) { $0.headers.add(name, "\"2\"") }
            #expect(decision.reason == .request && decision.forwarded?.isConditional == false)
            #expect(decision.forwarded?.request.headers[name] == "\"2\"")
        }
        #expect(decision("max-age=60") { $0.isUpgrade = true }.reason == .bypass)
        #expect(decision("max-age=60") { $0.body = .text("a") }.reason == .bypass)
    }

    // MARK: HEAD and ranges

    @Test func aHeadIsServedFromAGet() throws {
        let decision = decision("max-age=60", method: .head)
        let serving = try #require(decision.served)
        let request = TransportRequest.cached(.head)
        #expect(serving.bodyRange(for: request).isEmpty && serving.head(for: request).status == .ok)
        let forwarding = try #require(self.decision("max-age=60", after: 60, method: .head).forwarded)
        #expect(!forwarding.isConditional && forwarding.stored != nil)
    }

    @Test(
        arguments: [
            ("bytes=0-3", 0..<4), ("bytes=4-", 4..<10), ("bytes=-3", 7..<10), ("bytes=-30", 0..<10),
            ("bytes=9-99", 9..<10),
            ("Bytes=0-0", 0..<1), ("bytes=10-", nil), ("bytes=-0", nil), ("bytes=0-1,3-4", nil), ("bytes=3-1", nil),
            ("items=0-1", nil), ("bytes", nil), ("bytes=", nil), ("bytes=-", nil), ("bytes=a-b", nil),
            ("bytes=0-99999999999999999999", nil), ("bytes=99999999999999999999-", nil),
            ("bytes=0-9223372036854775807", 0..<10), ("bytes=9223372036854775807-", nil),
            ("bytes=-9223372036854775807", 0..<10),
        ] as [(String, Range<Int64>?)])
    func oneRangeIsServed(range: String, bounds: Range<Int64>?) throws {
        let decision = decision("max-age=60") { $0.headers.add("Range", range) }
        guard let bounds else {
            #expect(decision.reason == .request && decision.forwarded?.isConditional == false)
            return
        }
        let request = TransportRequest.cached(.get, Self.url, ["Range": range])
        let serving = try #require(decision.served)
        let head = serving.head(for: request)
        #expect(serving.bodyRange(for: request) == bounds && head.status == .partialContent)
        #expect(head.headers["Content-Length"] == "\(bounds.count)")
        #expect(head.headers["Content-Range"] == "bytes \(bounds.lowerBound)-\(bounds.upperBound - 1)/10")
        #expect(head.reasonPhrase == "Partial Content" && !head.headers.contains("Content-Digest"))
    }

    @Test func rangesAreOfWholeBodiesAsTheyCame() throws {
        let request = TransportRequest.cached(.get, Self.url, ["Range": "bytes=0-1"])
        var cache = CacheRecords()
        cache.store(.cached(), ["Cache-Control": "max-age=60"], 404)
        #expect(cache.decision(request).reason == .request)
        let head = HTTPResponse.received(.ok, ["Cache-Control": "max-age=60", "Content-Encoding": "gzip"])
        var decoded = try #require(
            StoredResponse(
                storing: head.removingFieldsOfCoding(), for: .cached(), identity: nil, requestTime: cacheDate,
                responseTime: cacheDate))
        (decoded.bodyLength, decoded.isComplete) = (10, true)
        cache.records[cache.lookup(.cached()).rootKey] = .response(decoded)
        #expect(cache.decision(request).reason == .request && cache.decision(.cached()).served != nil)
        // A range that cannot be taken from it is requested without a condition.
        #expect(cache.decision(request, after: 60).forwarded?.isConditional == false)
        let stale = decision("max-age=60", after: 60) { $0.headers.add("Range", "bytes=0-1") }.forwarded
        #expect(stale?.reason == .stale && stale?.isConditional == true)
        #expect(stale?.request.headers["Range"] == "bytes=0-1")
    }

    // MARK: RFC 5861

    @Test func staleResponsesAreServedWhileTheyAreValidated() throws {
        let control = "max-age=60, stale-while-revalidate=10"
        let decision = decision(control, after: 70)
        guard case .serve(let serving, let forwarding?) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(serving.status.isStale && forwarding.isConditional && forwarding.reason == .stale)
        #expect(self.decision(control, after: 59).served != nil)
        #expect(self.decision(control, after: 71).reason == .stale)
        for request in ["no-cache", "max-age=65", "min-fresh=1"] {
            #expect(self.decision(control, request, after: 66).reason == .stale, "\(request)")
        }
        #expect(self.decision(control, "only-if-cached", after: 66).isRefused)
        #expect(self.decision(control + ", must-revalidate", after: 66).reason == .stale)
        #expect(self.decision(control + ", no-cache", after: 66).reason == .stale)
        #expect(self.decision(control, after: 66, method: .head).reason == .stale)
        #expect(self.decision(control, after: 66) { $0.headers.add("Range", "bytes=0-1") }.reason == .stale)
        #expect(self.decision(control, after: 66) { $0.cache.mode = .validated }.reason == .stale)
    }
}
