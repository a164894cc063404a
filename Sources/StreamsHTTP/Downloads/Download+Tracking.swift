extension Publisher {
    /// Tracks a download in a progress group, from its subscription to its end. Events pass unchanged.
    ///
    /// The bytes that an earlier download has left count as completed, but not towards the group's rate. Operators such
    /// as `retry` are put behind this one. Demand, completion, cancellation and threads are as for requests.
    ///
    /// - Parameters:
    ///   - group: The group that the download joins.
    ///   - length: The expected length in bytes, if known. A length that the server declares replaces it.
    public func tracking(
        in group: ProgressGroup, expecting length: Int64? = nil
    ) -> some Publisher<Output, Failure> where Output == Download.Event, Self: Sendable {
        tracking(.download, in: group, expecting: length) { $0.observe($1) }
    }
}

extension TrackedRequest {
    /// Updates the group with an event of a download. Called serially.
    fileprivate func observe(_ event: Download.Event) {
        switch event {
        case .resuming(let offset): resume(from: offset)
        case .startingOver: update(.nothing, total: expected)
        case .progress(let progress): update(progress, total: progress.total ?? expected)
        case .retrying: break
        case .finished: finish(isSuccess: true)
        }
    }
}
