/// A command of the tool, which decides which options there are.
enum Command: Hashable {
    /// Requests whose bodies are written.
    case request
    case feed(FeedArguments.Kind)
    case download
    case webSocket

    /// The command as the command line has it.
    var name: String {
        switch self {
        case .request: "streams"
        case .feed(let kind): "streams \(kind.rawValue)"
        case .download: "streams download"
        case .webSocket: "streams ws"
        }
    }

    static let feeds = Set(FeedArguments.Kind.allCases.map(Command.feed))
    static let all = feeds.union([.request, .download, .webSocket])
}
