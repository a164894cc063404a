import Foundation

@testable import StreamsHTTP

/// A damaged record is refused. One that is read is the same after it has been written, and can be decided about.
func fuzzCacheRecords(_ input: inout Input) {
    let bytes = Data(input.remainder())
    guard let record = CacheRecord(decoding: bytes) else { return }
    expectEqual(record.encoded(), bytes, "another encoding")
    guard let response = record.response else { return }
    for seconds in [-1e12, 0, 1.75e9, 1e12] { _ = response.timeToLive(at: Date(timeIntervalSince1970: seconds)) }
    _ = response.conditionalFields
}

/// For any fields of a request and its response, a cache serves nothing stale unless a directive allows it, and nothing
/// to other credentials. What it stores is the same after it has been written.
func fuzzCaching(_ input: inout Input) {
    let now = Date(timeIntervalSince1970: 1_750_000_000)
    let statuses: [HTTPStatus] = [200, 203, 204, 206, 301, 302, 304, 404, 410, 500, 503, 599]
    let status = statuses[Int(input.byte()) % statuses.count]
    let later = now + Double(input.byte()) * Double(input.byte())
    let (requestFields, responseFields) = (input.headers(), input.headers())
    let url = LazyURL("http://a.example/x")
    func request(_ headers: HTTPHeaders) -> TransportRequest {
        TransportRequest(method: .get, url: url.url, headers: headers)
    }
    let secret = [UInt8](repeating: 7, count: 32)
    let own = request(requestFields)
    let lookup = CacheLookup(own, secret: secret)
    guard case .forward(let forwarding) = lookup.decision(at: now) else {
        return expect(lookup.control.isOnlyIfCached, "nothing was sent")
    }
    let head = HTTPResponse(status: status, headers: responseFields, body: (), url: url.url)
    guard case .deliver(.store(var response), _) = forwarding.result(of: head, requestTime: now, responseTime: now)
    else { return }
    (response.bodyLength, response.isComplete) = (100, true)
    let placement = lookup.placement(of: response, over: nil, generation: 1)
    let record = CacheRecord.response(response)
    expectEqual(CacheRecord(decoding: record.encoded()), record, "another record")
    var records = [placement.key: record]
    if let root = placement.root { records[lookup.rootKey] = root }
    func decision(_ request: TransportRequest, _ records: [CacheKey: CacheRecord]) -> CacheDecision {
        var lookup = CacheLookup(request, secret: secret)
        var key = lookup.firstKey
        while let next = key { key = lookup.next(after: records[next]) }
        return lookup.decision(at: later)
    }
    if case .serve(let serving, let validation) = decision(own, records) {
        let isAllowed = lookup.control.maxStale != nil || response.control.staleWhileRevalidate != nil
        expect(!serving.status.isStale || isAllowed, "a stale response was served")
        expect(validation == nil || serving.status.isStale, "a fresh response was validated")
        _ = serving.head(for: own)
        expect(serving.bodyRange(for: own).upperBound <= 100, "a part beyond the body")
    }
    var others = requestFields
    others.add("Authorization", "another")
    if case .serve = decision(request(others), records) { expect(false, "a response of other credentials was served") }
}

extension Input {
    /// Removes a field of lines, each of which is a name, a colon and a value.
    fileprivate mutating func headers() -> HTTPHeaders {
        HTTPHeaders(
            text().split(separator: "\n").map { line in
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                return HTTPHeaders.Field(name: String(parts[0]), value: parts.count > 1 ? String(parts[1]) : "")
            })
    }
}
