/// One of the two ways that a request's bytes go.
public enum TransferDirection: Hashable, Sendable {
    /// The request's body.
    case upload
    /// The response's body.
    case download
}

extension Publisher {
    /// Counts a request in a group, from its subscription to its end, and changes nothing.
    ///
    /// ```
    /// ──attempt──head──10 %──100 %──response─|
    ///   tracking(in: group)
    /// ──attempt──head──10 %──100 %──response─|
    /// ```
    ///
    /// **Demand** Passes on. What is not asked for is not counted.
    /// **Completion** Counts the request as over, and passes on; a failure does too.
    /// **Cancellation** Counts the request as over, and passes on.
    /// **Threads** The group's subscribers are called on the thread that delivers the event, before it is passed on.
    ///
    /// - Parameters:
    ///   - direction: Which bytes count. An upload is complete with the head of the response.
    ///   - group: What adds up.
    ///   - length: How many bytes are to come, where that is known before a server says so. A length that the server
    ///     declares takes its place.
    public func tracking<Value>(
        _ direction: TransferDirection = .download, in group: ProgressGroup, expecting length: Int64? = nil
    ) -> some Publisher<Output, Failure> where Output == RequestEvent<Value>, Self: Sendable {
        Deferred {
            let member = TrackedRequest(direction, in: group, expecting: length)
            return handleEvents(
                receiveOutput: { member.observe($0) }, receiveCompletion: { _ in member.finish() },
                receiveCancel: { member.finish() })
        }
    }
}
