import StreamsHTTP
import StreamsLoopback
import StreamsTesting

extension LoopbackServer {
    /// A client whose base URL is this server.
    func client(
        options: RequestOptions = RequestOptions(), headers: HTTPHeaders = [:],
        transport: any HTTPTransport = CurlTransport()
    ) -> HTTPClient {
        var options = options
        // Longer than a busy machine may keep a test waiting for its turn.
        if options.timeouts == RequestOptions.Timeouts() {
            options.timeouts.connect = .seconds(300)
            options.timeouts.idle = .seconds(300)
        }
        let configuration = HTTPClient.Configuration(
            baseURL: URL(string: url("")), defaultHeaders: headers, options: options)
        return HTTPClient(configuration: configuration, transport: transport)
    }

    /// A client whose base URL is this server, and whose time is a test's.
    func client(
        options: RequestOptions = RequestOptions(), scheduler: TestScheduler,
        transport: any HTTPTransport = CurlTransport()
    ) -> HTTPClient {
        let configuration = HTTPClient.Configuration(baseURL: URL(string: url("")), options: options)
        return HTTPClient(configuration: configuration, transport: transport, scheduler: scheduler)
    }
}

extension HTTPClient {
    /// A new client with a transport of its own, for absolute URLs: a test that counts connections needs one.
    static var alone: HTTPClient { HTTPClient(configuration: Configuration(), transport: CurlTransport()) }

    /// A client of a transport of its own, for absolute URLs.
    convenience init(connectTimeout: Duration, reservedDescriptors: Int? = nil) {
        let options = RequestOptions.with { $0.timeouts.connect = connectTimeout }
        let transport = CurlTransport(configuration: .init(reservedDescriptors: reservedDescriptors))
        self.init(configuration: Configuration(options: options), transport: transport)
    }

    /// The text of a response, or the outline of the failure.
    func outcome(of url: String, options: RequestOptions = RequestOptions()) async -> String {
        do {
            let response = try await self.response(for: HTTPRequest(.get, url, options: options))
            return String(decoding: response.body, as: UTF8.self)
        } catch {
            return error.reason.outline
        }
    }
}
