import StreamsHTTP

#if canImport(CLibcurl)
/// The transport of the tool.
typealias SystemTransport = CurlTransport
#else
/// A transport that fails every exchange, for a tool that is built without libcurl.
struct SystemTransport: HTTPTransport {
    private struct FailedExchange: TransportExchange {
        func allow(bytes: Int) {}
        func abort() {}
    }

    static let runtime = "without libcurl"
    static let shared = SystemTransport()

    func start(
        _ request: TransportRequest, delivering receiver: any TransportReceiver
    ) -> any TransportExchange {
        let reason = HTTPError.InvalidRequest.unsupportedOption("this tool was built without libcurl")
        receiver.receive(.failed(TransportFailure(.invalidRequest(reason))))
        return FailedExchange()
    }
}
#endif
