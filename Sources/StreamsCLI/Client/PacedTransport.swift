import StreamsHTTP
import Synchronization

/// A transport that limits the rate of each exchange, for the body of the request and that of the response.
struct PacedTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let rate: Int

    /// - Parameters:
    ///   - transport: The transport of the exchanges.
    ///   - rate: The maximum number of bytes in a second, from 1 up.
    init(_ transport: any HTTPTransport, rate: Int) {
        self.transport = transport
        self.rate = rate
    }

    var connections: [OriginConnections] { transport.connections }

    func start(
        _ request: TransportRequest, delivering receiver: any TransportReceiver
    ) -> any TransportExchange {
        var request = request
        request.body = request.body.wrappingSource { [rate] source, onReadable in
            PacedSource(source, rate: rate, onReadable: onReadable)
        }
        let delivery = PacedDelivery(to: receiver, rate: rate)
        return PacedExchange(exchange: transport.start(request, delivering: delivery), delivery: delivery)
    }
}

/// An exchange whose events are delivered at the rate. The client allows what has been delivered, so that the server waits
/// when the window is used up.
private struct PacedExchange: TransportExchange {
    let exchange: any TransportExchange
    let delivery: PacedDelivery

    var wait: HTTPRequest.Wait? { exchange.wait }

    func allow(bytes: Int) { exchange.allow(bytes: bytes) }

    func abort() {
        delivery.stop()
        exchange.abort()
    }
}

/// A source of a request's body that has bytes at the rate.
private final class PacedSource: HTTPBody.Source {
    private let source: any HTTPBody.Source
    private let onReadable: @Sendable () -> Void
    private let pace: Mutex<Pace>

    init(_ source: any HTTPBody.Source, rate: Int, onReadable: @escaping @Sendable () -> Void) {
        self.source = source
        self.onReadable = onReadable
        pace = Mutex(Pace(rate: rate, start: .now))
    }

    var length: Int64? { source.length }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBody.ReadResult {
        let now = ContinuousClock.now
        let (allowance, next) = pace.withLock { ($0.allowance(at: now), $0.next) }
        guard allowance > 0 else {
            PaceTimer.run(at: next, onReadable)
            return .waiting
        }
        let result = source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(allowance)))
        if case .bytes(let count) = result { pace.withLock { $0.pass(Int64(count), at: now) } }
        return result
    }

    func cancel() { source.cancel() }
}
