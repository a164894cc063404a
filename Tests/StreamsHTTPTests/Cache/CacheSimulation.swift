import Foundation

@testable import StreamsHTTP

/// A cache in memory that performs requests as the rules decide: without sockets, threads and waiting.
struct CacheSimulation {
    /// The body of a response that is received by a transport.
    typealias Send = (TransportRequest) -> CacheCaseOrigin.Reaction

    private struct Entry {
        var record: CacheRecord
        var body: Data
    }

    private static let secret: [UInt8] = Array(0..<32)

    private var entries: [CacheKey: Entry] = [:]
    private var generations: UInt64 = 0
    /// The local clock.
    var now: Date
    /// The status of the request that was performed last.
    private(set) var status: CacheStatus?

    init(now: Date) {
        self.now = now
    }

    /// Performs a request. A validation in the background is finished when this returns.
    mutating func perform(_ request: TransportRequest, send: Send) -> CacheCasePlayer.Outcome {
        var lookup = CacheLookup(request, secret: Self.secret)
        var key = lookup.firstKey
        while let next = key { key = lookup.next(after: entries[next].flatMap { Self.stored($0.record) }) }
        switch lookup.decision(at: now) {
        case .serve(let serving, let revalidation):
            status = serving.status
            let outcome = deliver(serving, lookup, request)
            if let revalidation {
                _ = forward(revalidation, lookup, send)
                status = serving.status
            }
            return outcome
        case .forward(let forwarding): return forward(forwarding, lookup, send)
        case .refuse: return .response(CacheServing.refusal(of: request), Data())
        }
    }

    /// Returns a record as a store keeps it.
    private static func stored(_ record: CacheRecord) -> CacheRecord? {
        CacheRecord(decoding: record.encoded())
    }

    private func deliver(
        _ serving: CacheServing, _ lookup: CacheLookup, _ request: TransportRequest
    ) -> CacheCasePlayer.Outcome {
        let body = lookup.found.flatMap { entries[$0.key]?.body } ?? Data()
        let range = serving.bodyRange(for: request)
        return .response(serving.head(for: request), Data(body[Int(range.lowerBound)..<Int(range.upperBound)]))
    }

    private mutating func forward(
        _ forwarding: CacheForwarding, _ lookup: CacheLookup, _ send: Send
    ) -> CacheCasePlayer.Outcome {
        let requestTime = now
        guard case .reply(let head, let body, let pause) = send(forwarding.request) else {
            guard let serving = forwarding.fallback(after: .transfer(.emptyReply), at: now) else { return .failure }
            status = serving.status
            return deliver(serving, lookup, forwarding.original)
        }
        now += TimeInterval(pause)
        for key in CacheInvalidation.keys(after: head, to: forwarding.original) { entries[key] = nil }
        switch forwarding.result(of: head, requestTime: requestTime, responseTime: now) {
        case .deliver(let change, let status):
            self.status = status
            apply(change, lookup, body)
            return .response(head, body)
        case .serve(let serving, let change):
            status = serving.status
            let outcome = deliver(serving, lookup, forwarding.original)
            apply(change, lookup, body)
            return outcome
        case .complete(let serving, let change):
            status = serving.status
            let stored = lookup.found.flatMap { entries[$0.key]?.body } ?? Data()
            apply(change, lookup, stored + body)
            return .response(serving.head(for: forwarding.original), stored + body)
        case .resend(let next):
            apply(.remove, lookup, Data())
            return forward(next, lookup, send)
        }
    }

    private mutating func apply(_ change: CacheChange, _ lookup: CacheLookup, _ body: Data) {
        switch change {
        case .none: break
        case .remove: if let found = lookup.found { entries[found.key] = nil }
        case .update(let response):
            if let found = lookup.found { entries[found.key]?.record = .response(response) }
        case .store(var response):
            generations += 1
            let placement = lookup.placement(
                of: response, over: entries[lookup.rootKey].flatMap { Self.stored($0.record) }, generation: generations)
            if let root = placement.root { entries[lookup.rootKey] = Entry(record: root, body: Data()) }
            response.bodyLength = Int64(body.count)
            response.isComplete = true
            entries[placement.key] = Entry(record: .response(response), body: body)
        }
    }
}
