extension RequestPlan {
    /// Creates the plan of one exchange of a download, which makes its own retries and has its own place in the queue.
    ///
    /// - Parameters:
    ///   - request: The request of the exchange.
    ///   - client: The client that sends it.
    convenience init(download request: HTTPRequest, client: HTTPClient) {
        let options = request.options.merging(defaults: client.configuration.options)
        var request = request
        request.options.retry = .never
        request.options.hedging = .never
        // The body of an error is not the file.
        request.options.validation = options.validation.requiringSuccess()
        request.options.timeouts.total = nil
        // A part of a file has another size than the file, whose limit the download obeys.
        request.options.maxErrorBodySize = options.maxErrorBodySize ?? Self.defaultMaxErrorBodySize
        request.options.maxBodySize = .max
        // Offsets count encoded bytes.
        self.init(
            request, client: client, bodyUse: .deliver, decodesContent: false, queue: client.innerRequestQueue)
    }
}
