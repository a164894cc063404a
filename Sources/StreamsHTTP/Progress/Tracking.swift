extension TransferProgress {
    /// The direction of a transfer.
    public enum Direction: Hashable, Sendable {
        /// The request's body.
        case upload
        /// The response's body.
        case download
    }
}

extension Publisher {
    /// Tracks a request in a progress group, from its subscription to its end. Events pass unchanged.
    ///
    /// A subscription that follows a failed or cancelled one of the same publisher repeats that request and takes its
    /// place in the group. So put operators such as `retry` behind this one, and iterate the same publisher again in a
    /// loop of your own. Every other subscription is another request.
    ///
    /// ```
    /// ──attempt──head──10 %──100 %──response─|
    ///   tracking(in: group)
    /// ──attempt──head──10 %──100 %──response─|
    /// ```
    ///
    /// **Demand** Passed on. Only delivered events are counted.
    /// **Completion** Marks the request as finished and is passed on, and so is a failure.
    /// **Cancellation** Marks the request as finished and is passed on.
    /// **Threads** The group's subscribers are called on the thread that delivers the event, before the event is passed
    /// on.
    ///
    /// - Parameters:
    ///   - direction: The direction whose bytes count. An upload is complete when the response's head is received.
    ///   - group: The group that the request joins.
    ///   - length: The expected length in bytes, if known. A length that the server declares replaces it.
    public func tracking<Value>(
        _ direction: TransferProgress.Direction = .download, in group: ProgressGroup, expecting length: Int64? = nil
    ) -> some Publisher<Output, Failure> where Output == RequestEvent<Value>, Self: Sendable {
        tracking(direction, in: group, expecting: length) { $0.observe($1) }
    }

    /// Tracks a download in a progress group, from its subscription to its end. Events pass unchanged.
    ///
    /// The bytes that an earlier download has left count as completed, but not towards the group's rate. Operators such
    /// as `retry` are put behind this one, as for requests.
    ///
    /// ```
    /// ──resuming──70 %──100 %──finished─|
    ///   tracking(in: group)
    /// ──resuming──70 %──100 %──finished─|
    /// ```
    ///
    /// **Demand** Passed on. Only delivered events are counted.
    /// **Completion** Marks the download as finished and is passed on, and so is a failure.
    /// **Cancellation** Marks the download as finished and is passed on.
    /// **Threads** The group's subscribers are called on the thread that delivers the event, before the event is passed
    /// on.
    ///
    /// - Parameters:
    ///   - group: The group that the download joins.
    ///   - length: The expected length in bytes, if known. A length that the server declares replaces it.
    public func tracking(
        in group: ProgressGroup, expecting length: Int64? = nil
    ) -> some Publisher<Output, Failure> where Output == Download.Event, Self: Sendable {
        tracking(.download, in: group, expecting: length) { $0.observe($1) }
    }

    /// - Parameter observe: Updates the group with an event.
    private func tracking(
        _ direction: TransferProgress.Direction, in group: ProgressGroup, expecting length: Int64?,
        observe: @escaping @Sendable (TrackedRequest, Output) -> Void
    ) -> some Publisher<Output, Failure> where Self: Sendable {
        let members = TrackedMembers(in: group)
        return Deferred {
            let request = TrackedRequest(direction, in: group, members, expecting: length)
            return handleEvents(
                receiveOutput: { observe(request, $0) },
                receiveCompletion: { request.finish(isSuccess: $0.isFinished) },
                receiveCancel: { request.finish(isSuccess: false) })
        }
    }
}

extension Subscribers.Completion {
    fileprivate var isFinished: Bool { if case .finished = self { true } else { false } }
}
