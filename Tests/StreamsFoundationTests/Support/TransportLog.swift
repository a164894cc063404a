import Foundation
import StreamsFoundation

@testable import Streams

/// A receiver that records the events of an exchange.
final class TransportLog: TransportReceiver {
    struct State: Sendable {
        var head: HTTPResponse<Void>?
        var body = Data()
        var allowed = 0
        var sent: Int64 = 0
        var sentTotal: Int64?
        var end: String?
        var isMeasured = false
        var problems: [String] = []

        var bytes: Int { body.count }
    }

    private let state = Locked(State())
    /// An element for every event.
    private let changes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    var head: HTTPResponse<Void>? { state.withLock { $0.head } }
    var bytes: Int { state.withLock { $0.bytes } }
    var body: Data { state.withLock { $0.body } }
    var isMeasured: Bool { state.withLock { $0.isMeasured } }
    var sent: (count: Int64, total: Int64?) { state.withLock { ($0.sent, $0.sentTotal) } }
    var isOver: Bool { state.withLock { $0.end != nil } }

    func receive(_ event: TransportEvent) {
        state.withLock { $0.take(event) }
        changes.continuation.yield()
    }

    /// Waits until the recorded events meet a condition. Only one task may wait.
    func wait(until condition: (State) -> Bool) async throws {
        if condition(state.withLock { $0 }) { return }
        for await _ in changes.stream where condition(state.withLock { $0 }) { return }
        throw CancellationError()
    }

    /// Waits for the end of an exchange, allows as many bytes as were delivered, and returns a summary.
    func outcome(of exchange: any TransportExchange) async -> String {
        try? await wait { state in
            let missing = self.state.withLock { now in
                defer { now.allowed = now.bytes }
                return now.bytes - now.allowed
            }
            if missing > 0 { exchange.allow(bytes: missing) }
            return state.end != nil
        }
        let state = state.withLock { $0 }
        var parts = state.head.map { ["\($0.status.code)", "\(state.bytes) bytes"] } ?? []
        parts.append(state.end ?? "open")
        return parts.joined(separator: " ") + (state.sent > 0 && state.head != nil ? ", sent \(state.sent)" : "")
            + state.problems.joined(separator: ", ")
    }
}

extension TransportLog.State {
    fileprivate mutating func take(_ event: TransportEvent) {
        if end != nil { problems.append("an event after the end") }
        switch event {
        case .sent(let count, let total):
            if head != nil { break }
            sentTotal = total
            if count <= sent { problems.append("sent \(count) after \(sent)") }
            sent = count
        case .head(let head):
            if self.head != nil { problems.append("a second head") }
            self.head = head
        case .chunk(let chunk, let received):
            if head == nil { problems.append("a chunk before the head") }
            if let length = head?.headers["Content-Length"].flatMap(Int64.init), received > length {
                problems.append("received \(received) of \(length)")
            }
            body += chunk
        case .connected, .trailers: break
        case .metrics: isMeasured = true
        case .finished: end = "finished"
        case .failed(let failure): end = "failed \(failure.reason.outline)"
        }
    }
}

extension HTTPError.Reason {
    fileprivate var outline: String {
        if case .thrown(let error, _) = self { "\(name)(\(type(of: error)))" } else { name }
    }
}

/// The chunks of a request's body, and their state.
final class ChunkSource: Sendable {
    private let chunks: [Data]
    private let isOpen: Bool
    private let isRead = AsyncStream<Void>.makeStream()
    private let isCancelled = AsyncStream<Void>.makeStream()

    /// - Parameter isOpen: Whether the body never ends.
    init(_ chunks: [Data], isOpen: Bool = false) {
        self.chunks = chunks
        self.isOpen = isOpen
    }

    var publisher: some Publisher<Data, any Error> {
        let end = isOpen ? Empty<Data, any Error>(completeImmediately: false) : Empty(completeImmediately: true)
        return Publishers.Sequence<[Data], any Error>(sequence: chunks).append(end).handleEvents(
            receiveOutput: { [isRead] _ in isRead.continuation.finish() },
            receiveCancel: { [isCancelled] in isCancelled.continuation.finish() })
    }

    func waitForRead() async {
        for await _ in isRead.stream {}
    }

    func waitForCancellation() async {
        for await _ in isCancelled.stream {}
    }
}
