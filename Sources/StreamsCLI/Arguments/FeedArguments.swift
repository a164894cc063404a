import StreamsHTTP

/// A feed as the command line describes it, besides its request.
struct FeedArguments {
    /// The kind; `nil` for a single request.
    var kind: FeedKind?
    var options = FeedOptions()
    var lastEventID = ""
    /// The position in a feed of lines; `nil` for none.
    var cursor: CursorArgument?
    /// The time between two polls.
    var interval: Duration?
}

extension FeedArguments {
    /// Checks the options that depend on the kind.
    func check() throws(UsageError) {
        if kind == .polls, interval == nil { throw UsageError("streams poll needs --every") }
    }

    mutating func setRepeatedElements(_ value: String) throws(UsageError) {
        switch value {
        case "drop": options.repeatedElements = .drop
        case "deliver": options.repeatedElements = .deliver
        default: throw UsageError("--repeated is drop or deliver, not \(value.quoted)")
        }
    }

    mutating func setReconnectDelay(_ delay: Duration) {
        options.reconnection.backoff.initial = delay
        options.reconnection.backoff.maximum = max(delay, options.reconnection.backoff.maximum)
    }

    /// - Parameter interval: The time between two polls; `nil` for none, which would be a flood of requests.
    mutating func setInterval(_ interval: Duration?) throws(UsageError) {
        guard let interval else { throw UsageError("--every needs more than 0 seconds") }
        self.interval = interval
    }
}
