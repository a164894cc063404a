/// A request's part in a group.
final class TrackedRequest: Sendable {
    private struct State {
        var method = HTTPMethod.get
        var upload: TransferProgress?
    }

    private let direction: TransferDirection
    private let group: ProgressGroup
    private let expected: Int64?
    private let member: Int
    private let state = Locked(State())

    init(_ direction: TransferDirection, in group: ProgressGroup, expecting length: Int64?) {
        self.direction = direction
        self.group = group
        expected = length
        member = group.add(expecting: length)
    }

    /// Takes note of an event. Called serially.
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
            // What the server did without is not waited for. Another attempt may follow all the same.
            let sent = state.withLock { $0.upload } ?? .nothing
            group.update(member, sent, total: sent.completed)
        case (.head(let head), .download):
            // The head of an error may be followed by another attempt, whose length is another.
            guard head.status.isSuccess, let total = head.contentLength(inAnswerTo: state.withLock({ $0.method }))
            else { break }
            group.update(member, .nothing, total: total)
        case (.response, _):
            finish()
        case (.uploadProgress, .download), (.downloadProgress, .upload), (.chunk, _), (.retrying, _):
            break
        }
    }

    func finish() {
        group.finish(member)
    }
}

extension TransferProgress {
    fileprivate static let nothing = TransferProgress(completed: 0, total: nil)
}
