import StreamsHTTP

/// Answers every request at once, and on the thread that asks.
struct ImmediateTransport: HTTPTransport {
    let headers: HTTPHeaders
    let body: Data

    func start(_ request: TransportRequest, delivering receiver: any TransportReceiver) -> any TransportExchange {
        receiver.receive(.head(HTTPResponse(status: .ok, headers: headers, body: (), url: request.url)))
        receiver.receive(.chunk(body, received: Int64(body.count)))
        receiver.receive(.finished)
        return EndedExchange()
    }
}

/// Answers no request.
struct SilentTransport: HTTPTransport {
    func start(_ request: TransportRequest, delivering receiver: any TransportReceiver) -> any TransportExchange {
        EndedExchange()
    }
}

private struct EndedExchange: TransportExchange {
    func allow(bytes: Int) {}
    func abort() {}
}
