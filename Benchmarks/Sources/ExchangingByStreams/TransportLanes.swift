import StreamsHTTP
import Synchronization

/// Requests on the transport without the client. Each lane sends its next request when the previous one has been
/// answered.
public enum TransportLanes {
    /// - Parameters:
    ///   - urls: The URLs, which the lanes use in turn.
    ///   - concurrency: The number of lanes.
    ///   - requests: The number of requests.
    ///   - engineCount: The number of the transport's threads.
    /// - Returns: The total size of the bodies in bytes; `nil` if a request failed.
    public static func run(_ urls: [URL], concurrency: Int, requests: Int, engineCount: Int) async -> Int? {
        let transport = CurlTransport(configuration: CurlTransport.Configuration(engineCount: engineCount))
        var options = RequestOptions.Connection()
        options.protocolPolicy = .http1
        options.trustRoots = .insecureAcceptAny
        let headers: HTTPHeaders = ["Accept": "*/*", "User-Agent": HTTPClient.userAgent]
        return await withTaskGroup(of: Int?.self) { group in
            for lane in 0..<concurrency {
                let share = requests / concurrency + (lane < requests % concurrency ? 1 : 0)
                let request = TransportRequest(
                    method: .get, url: urls[lane % urls.count], headers: headers, connection: options)
                group.addTask {
                    await withCheckedContinuation { continuation in
                        Lane(request, share, transport) { continuation.resume(returning: $0) }.advance()
                    }
                }
            }
            return await group.reduce(0) { sum, bytes in sum.flatMap { sum in bytes.map { sum + $0 } } }
        }
    }
}

/// A sequence of requests, one at a time.
private final class Lane: TransportReceiver {
    private let request: TransportRequest
    private let transport: CurlTransport
    private let left: Atomic<Int>
    private let bytes = Atomic<Int>(0)
    private let onEnd: @Sendable (Int?) -> Void

    init(
        _ request: TransportRequest, _ count: Int, _ transport: CurlTransport,
        onEnd: @escaping @Sendable (Int?) -> Void
    ) {
        self.request = request
        self.transport = transport
        self.onEnd = onEnd
        left = Atomic(count)
    }

    func advance() {
        guard left.subtract(1, ordering: .relaxed).newValue >= 0 else { return onEnd(bytes.load(ordering: .relaxed)) }
        _ = transport.start(request, delivering: self)
    }

    func receive(_ event: TransportEvent) {
        switch event {
        case .chunk(let chunk, _): bytes.add(chunk.count, ordering: .relaxed)
        case .finished: advance()
        case .failed: onEnd(nil)
        case .connected, .sent, .head, .metrics, .trailers: break
        }
    }
}
