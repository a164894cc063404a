import Foundation

@testable import StreamsHTTP

/// The local clock at the beginning of the tests of the cache.
let cacheDate = Date(timeIntervalSince1970: 1_750_000_000)

/// The secret of the stores of the tests.
let cacheSecret: [UInt8] = Array(repeating: 7, count: 32)

extension TransportRequest {
    /// Creates a request to a cache.
    static func cached(
        _ method: HTTPMethod = .get, _ url: String = "http://a.example/x", _ headers: HTTPHeaders = [:],
        _ change: (inout TransportRequest) -> Void = { _ in }
    ) -> TransportRequest {
        var request = TransportRequest(method: method, url: LazyURL(url).url, headers: headers)
        change(&request)
        return request
    }
}

extension HTTPResponse<Void> {
    /// Creates a head that a cache receives.
    static func received(_ status: HTTPStatus = .ok, _ headers: HTTPHeaders) -> HTTPResponse<Void> {
        HTTPResponse(status: status, headers: headers, body: (), url: LazyURL("http://a.example/x").url)
    }
}

extension StoredResponse {
    /// Returns the response to store at ``cacheDate``, with a body of ten bytes; `nil` if it is not stored.
    static func stored(_ headers: HTTPHeaders, for request: TransportRequest = .cached()) -> StoredResponse? {
        stored(.ok, headers, for: request)
    }

    /// Returns the response to store at ``cacheDate``, with a body of ten bytes; `nil` if it is not stored.
    static func stored(
        _ status: HTTPStatus, _ headers: HTTPHeaders, for request: TransportRequest = .cached()
    ) -> StoredResponse? {
        var response = StoredResponse(
            storing: .received(status, headers), for: request,
            identity: CacheIdentity(of: request, secret: cacheSecret), requestTime: cacheDate, responseTime: cacheDate)
        response?.bodyLength = 10
        response?.isComplete = true
        return response
    }
}

/// The records of a cache, without bodies.
struct CacheRecords {
    var records: [CacheKey: CacheRecord] = [:]
    private(set) var generation: UInt64 = 0

    /// Returns the lookup of a request, at its end.
    func lookup(_ request: TransportRequest) -> CacheLookup {
        var lookup = CacheLookup(request, secret: cacheSecret)
        var key = lookup.firstKey
        while let next = key { key = lookup.next(after: records[next]) }
        return lookup
    }

    /// Returns the decision about a request, some seconds after ``cacheDate``.
    func decision(_ request: TransportRequest, after seconds: TimeInterval = 0) -> CacheDecision {
        lookup(request).decision(at: cacheDate + seconds)
    }

    /// Stores a response, if it may be stored.
    mutating func store(_ request: TransportRequest, _ headers: HTTPHeaders, _ status: HTTPStatus = .ok) {
        guard let response = StoredResponse.stored(status, headers, for: request) else { return }
        let lookup = lookup(request)
        generation += 1
        let placement = lookup.placement(of: response, over: records[lookup.rootKey], generation: generation)
        if let root = placement.root { records[lookup.rootKey] = root }
        records[placement.key] = .response(response)
    }
}

extension CacheForwarding {
    /// Whether the request validates the stored response.
    var isConditional: Bool { condition == .validation }
}

extension CacheDecision {
    /// The response that is served without sending anything.
    var served: CacheServing? { if case .serve(let serving, nil) = self { serving } else { nil } }
    /// The request that is sent.
    var forwarded: CacheForwarding? { if case .forward(let forwarding) = self { forwarding } else { nil } }
    /// The validation in the background.
    var revalidation: CacheForwarding? {
        if case .serve(_, let forwarding) = self { forwarding } else { nil }
    }
    var isRefused: Bool { if case .refuse = self { true } else { false } }
    var reason: CacheStatus.ForwardReason? { forwarded?.reason }
}
