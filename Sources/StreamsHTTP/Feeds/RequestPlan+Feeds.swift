extension RequestPlan {
    /// Creates the plan of one connection of a feed, which makes its own retries.
    ///
    /// - Parameters:
    ///   - request: The request of the connection.
    ///   - connection: The kind of the connection.
    ///   - client: The client that sends it.
    convenience init(feed request: HTTPRequest, _ connection: FeedConnection, client: HTTPClient) {
        let options = request.options.merging(defaults: client.configuration.options)
        var request = request
        request.options.retry = .never
        guard connection != .poll else {
            request.options.validation = options.validation.accepting(.notModified)
            self.init(request, client: client, bodyUse: .collect)
            return
        }
        request.options.hedging = .never
        request.options.timeouts = request.options.timeouts.merging(defaults: .ofFeeds)
        if connection == .stream {
            // The body of an error is none of the feed's elements, and its end is no reason to connect again.
            request.options.validation = options.validation.requiringSuccess()
            request.options.maxErrorBodySize = options.maxErrorBodySize ?? Self.defaultMaxErrorBodySize
            request.options.maxBodySize = .max
        }
        self.init(
            request, client: client, bodyUse: connection == .stream ? .deliver : .collect,
            queue: client.innerRequestQueue, takesPlace: false)
    }
}

extension RequestOptions.Timeouts {
    /// Those of connections without an end, in place of a client's.
    fileprivate static let ofFeeds: Self = {
        var timeouts = Self()
        timeouts.idle = .seconds(180)
        timeouts.minimumRate = nil
        timeouts.total = nil
        return timeouts
    }()
}
