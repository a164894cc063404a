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

    /// Tracks a request or a download in a progress group.
    ///
    /// - Parameter observe: Updates the group with an event.
    func tracking(
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

/// The members of a progress group that one tracked publisher has, to recognise a subscription that repeats a failed
/// one.
final class TrackedMembers: Sendable {
    private typealias Failed = (member: Int, final: ProgressAggregator.Member)

    private let group: ProgressGroup
    private let failed = Locked<[Failed]>([])

    init(in group: ProgressGroup) {
        self.group = group
    }

    /// Returns the member of a new subscription: that of a failed one, started anew, or else another member.
    func next(expecting length: Int64?) -> Int {
        guard let last = failed.withLock({ $0.popLast() }) else { return group.change { $0.add(expecting: length) } }
        group.change { $0.restart(last.member, from: last.final, expecting: length) }
        return last.member
    }

    func finish(_ member: Int, isSuccess: Bool) {
        guard let final = group.change({ $0.finish(member) }), !isSuccess else { return }
        failed.withLock { $0.append((member, final)) }
    }
}

/// A request in a progress group.
final class TrackedRequest: Sendable {
    private struct State {
        var method = HTTPMethod.get
        var upload: TransferProgress?
    }

    private let direction: TransferProgress.Direction
    private let group: ProgressGroup
    private let members: TrackedMembers
    let expected: Int64?
    private let member: Int
    private let state = Locked(State())

    init(
        _ direction: TransferProgress.Direction, in group: ProgressGroup, _ members: TrackedMembers,
        expecting length: Int64?
    ) {
        self.direction = direction
        self.group = group
        self.members = members
        expected = length
        member = members.next(expecting: length)
    }

    /// Updates the group with an event. Called serially.
    func observe<Value>(_ event: RequestEvent<Value>) {
        switch (event, direction) {
        case (.attempt(let attempt), _):
            state.withLock { $0 = State(method: attempt.method) }
            update(.nothing, total: expected)
        case (.uploadProgress(let progress), .upload):
            state.withLock { $0.upload = progress }
            update(progress, total: progress.total ?? expected)
        case (.downloadProgress(let progress), .download):
            update(progress, total: progress.total ?? expected)
        case (.head, .upload):
            // The upload ends with the response's head, even if the server did not read all of it. A retry may still
            // follow.
            let sent = state.withLock { $0.upload } ?? .nothing
            update(sent, total: sent.completed)
        case (.head(let head), .download):
            // A response that is an error may be retried, and the next response may have another length.
            guard head.status.isSuccess, let total = head.contentLength(inAnswerTo: state.withLock({ $0.method }))
            else { break }
            update(.nothing, total: total)
        case (.response, _):
            finish(isSuccess: true)
        case (.uploadProgress, .download), (.downloadProgress, .upload), (.chunk, _), (.retrying, _):
            break
        }
    }

    func finish(isSuccess: Bool) {
        members.finish(member, isSuccess: isSuccess)
    }

    /// Updates the group with bytes that an earlier download has left.
    func resume(from offset: Int64) {
        group.change { $0.resume(member, from: offset, total: expected) }
    }

    func update(_ progress: TransferProgress, total: Int64?) {
        group.change { $0.update(member, progress, total: total) }
    }
}

extension TransferProgress {
    static let nothing = TransferProgress(completed: 0, total: nil)
}
