import StreamsHTTP

/// A transport that does what a closure says when an exchange starts, on the calling thread.
struct ScriptedTransport: HTTPTransport {
    let script: @Sendable (TransportRequest, any TransportReceiver) -> ScriptedExchange

    func start(_ request: TransportRequest, delivering receiver: any TransportReceiver) -> any TransportExchange {
        script(request, receiver)
    }
}

/// An exchange that notes what is asked of it.
final class ScriptedExchange: TransportExchange {
    let allowed = Watched(0)
    let abortCount = Watched(0)
    /// Returns the wait of the exchange.
    let onWait = Watched<(@Sendable () -> HTTPRequest.Wait?)?>(nil)

    var wait: HTTPRequest.Wait? { onWait.value?() }

    func allow(bytes: Int) {
        allowed.update { $0 += bytes }
    }

    func abort() {
        abortCount.update { $0 += 1 }
    }
}
