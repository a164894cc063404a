import StreamsHTTP

/// The messages about what happens between the elements of a feed. A feed that cannot connect, or that repeats its
/// elements, would otherwise look like one that is idle.
final class FeedNotices {
    private let kind: FeedKind?
    private let console: Console?
    private let isVerbose: Bool
    /// Whether a failure has been reported since the last element.
    private var hasReportedFailure = false
    private var reportedGaps: Set<String> = []

    /// - Parameters:
    ///   - kind: The kind of the feed.
    ///   - console: The console; `nil` for no messages.
    ///   - isVerbose: Whether every failure and gap is reported, and not only the first.
    init(_ kind: FeedKind?, console: Console?, isVerbose: Bool) {
        self.kind = kind
        self.console = console
        self.isVerbose = isVerbose
    }

    func observe<Element>(_ event: Feed<Element>.Event) {
        switch event {
        case .element: hasReportedFailure = false
        // A poll without changes has no elements.
        case .open: if kind == .polls { hasReportedFailure = false }
        case .gap(let gap): report(gap)
        case .waiting(let wait): report(wait)
        case .connecting, .comment: break
        }
    }

    private func report(_ wait: FeedWait) {
        guard !isVerbose else {
            let reason = wait.error?.description ?? "the response has ended"
            console?.say("streams: connecting again in \(wait.delay.rounded): \(reason)")
            return
        }
        guard let error = wait.error, !hasReportedFailure else { return }
        hasReportedFailure = true
        console?.say("streams: \(error); connecting again until it succeeds (-v tells of each attempt)")
    }

    private func report(_ gap: FeedGap) {
        guard isVerbose || reportedGaps.insert(gap.name).inserted else { return }
        guard gap == .notResumable else {
            console?.say("streams: \(gap)")
            return
        }
        let remedy = kind == .lines ? "; --cursor resumes" : ""
        console?.say(
            "streams: elements may be repeated or missing from here, because the feed has no position to resume from"
                + remedy)
    }
}
