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
        guard let last = failed.withLock({ $0.popLast() }) else { return group.add(expecting: length) }
        group.restart(last.member, from: last.final, expecting: length)
        return last.member
    }

    func finish(_ member: Int, isSuccess: Bool) {
        guard let final = group.finish(member), !isSuccess else { return }
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
    private let expected: Int64?
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
            group.update(member, .nothing, total: expected)
        case (.uploadProgress(let progress), .upload):
            state.withLock { $0.upload = progress }
            group.update(member, progress, total: progress.total ?? expected)
        case (.downloadProgress(let progress), .download):
            group.update(member, progress, total: progress.total ?? expected)
        case (.head, .upload):
            // The upload ends with the response's head, even if the server did not read all of it. A retry may still
            // follow.
            let sent = state.withLock { $0.upload } ?? .nothing
            group.update(member, sent, total: sent.completed)
        case (.head(let head), .download):
            // A response that is an error may be retried, and the next response may have another length.
            guard head.status.isSuccess, let total = head.contentLength(inAnswerTo: state.withLock({ $0.method }))
            else { break }
            group.update(member, .nothing, total: total)
        case (.response, _):
            finish(isSuccess: true)
        case (.uploadProgress, .download), (.downloadProgress, .upload), (.chunk, _), (.retrying, _):
            break
        }
    }

    /// Updates the group with an event of a download. Called serially.
    func observe(_ event: Download.Event) {
        switch event {
        case .resuming(let offset): group.resume(member, from: offset, total: expected)
        case .startingOver: group.update(member, .nothing, total: expected)
        case .progress(let progress): group.update(member, progress, total: progress.total ?? expected)
        case .retrying: break
        case .finished: finish(isSuccess: true)
        }
    }

    func finish(isSuccess: Bool) {
        members.finish(member, isSuccess: isSuccess)
    }
}

extension TransferProgress {
    fileprivate static let nothing = TransferProgress(completed: 0, total: nil)
}
