/// A kind of feed, by the word that selects its command.
enum FeedKind: String, CaseIterable {
    case serverSentEvents = "sse"
    case lines
    case polls = "poll"
}
