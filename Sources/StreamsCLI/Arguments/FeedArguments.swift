import StreamsHTTP

/// A feed as the command line describes it, besides its request.
struct FeedArguments {
    enum Kind: String {
        case serverSentEvents = "sse"
        case lines
        case polls = "poll"
    }

    /// The kind; `nil` for a single request.
    var kind: Kind?
    var options = FeedOptions()
    var lastEventID = ""
    /// The time between two polls.
    var interval: Duration?
    /// The names of the options that only feeds have.
    var optionNames: [String] = []
}

extension FeedArguments {
    /// Checks the options that depend on the kind.
    func check() throws(UsageError) {
        if kind == nil, let name = optionNames.first {
            throw UsageError("\(name) needs streams sse, streams lines or streams poll")
        }
        let needsEvents =
            !lastEventID.isEmpty || options.deliversComments || options.repeatedElements == .deliver
        if kind != .serverSentEvents, needsEvents {
            throw UsageError("--last-event-id, --comments and --repeated need streams sse")
        }
        guard (kind == .polls) == (interval != nil) else {
            throw UsageError("streams poll needs --every, and no other command has it")
        }
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
}
