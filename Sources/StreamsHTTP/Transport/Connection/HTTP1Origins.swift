import Streams

/// The origins of https that have been found to speak HTTP/1.1 alone, so that nothing needs to be negotiated.
///
/// Each is remembered for a while: its server may learn HTTP/2. Can be used from any thread.
final class HTTP1Origins: Sendable {
    private static let lifetime = Duration.seconds(600)
    private static let capacity = 4096

    private struct Key: Hashable {
        let origin: String
        /// Other options may lead to another server.
        let options: RequestOptions.Connection

        init(_ request: TransportRequest) {
            origin = request.lazyURL.origin
            options = request.connection
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(origin)
        }
    }

    private let ends = Locked<[Key: MonotonicTime]>([:])

    func contains(_ request: TransportRequest, now: MonotonicTime = .now) -> Bool {
        ends.withLock { ends in ends.isEmpty ? false : ends[Key(request)].map { now < $0 } ?? false }
    }

    func insert(_ request: TransportRequest, now: MonotonicTime = .now) {
        ends.withLock { ends in
            if ends.count >= Self.capacity { ends = ends.filter { now < $0.value } }
            // To negotiate again costs little.
            if ends.count >= Self.capacity { ends = [:] }
            ends[Key(request)] = now + Self.lifetime
        }
    }

    /// Forgets the origin of a request: its server may have stopped to speak HTTP/1.1.
    func remove(_ request: TransportRequest) {
        ends.withLock { ends in ends[Key(request)] = nil }
    }
}
