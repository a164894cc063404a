import StreamsHTTP

func makeClient(transport: any HTTPTransport = CurlTransport()) -> HTTPClient {
    var configuration = HTTPClient.Configuration(baseURL: URL(string: "https://api.example.com/v1"))
    configuration.options.timeouts = Timeouts(connect: .seconds(5), total: .seconds(30))
    configuration.options.retry = RetryPolicy(maxRetries: 3)
    configuration.monitors = [LogMonitor { print($0) }]
    return HTTPClient(configuration: configuration, transport: transport)
}
