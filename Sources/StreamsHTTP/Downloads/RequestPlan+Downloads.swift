extension RequestPlan {
    /// Creates the plan of one exchange of a download, which makes its own retries and has its own place in the queue.
    ///
    /// - Parameters:
    ///   - request: The request of the exchange.
    ///   - client: The client that sends it.
    convenience init(download request: HTTPRequest, client: HTTPClient) {
        let defaults = client.configuration.options
        var request = request
        request.options.retry = .never
        request.options.hedging = .never
        let validation = request.options.validation ?? defaults.validation ?? .successOnly
        // The body of an error is not the file.
        request.options.validation = validation.requiringSuccess()
        var timeouts = request.options.timeouts ?? defaults.timeouts ?? RequestOptions.Timeouts()
        timeouts.total = nil
        request.options.timeouts = timeouts
        // A part of a file has another size than the file, whose limit the download obeys.
        request.options.maxErrorBodySize =
            request.options.maxErrorBodySize ?? defaults.maxErrorBodySize ?? Self.defaultMaxErrorBodySize
        request.options.maxBodySize = .max
        // Offsets count encoded bytes.
        self.init(
            request, client: client, bodyUse: .deliver, decodesContent: false, queue: client.innerRequestQueue)
    }
}
