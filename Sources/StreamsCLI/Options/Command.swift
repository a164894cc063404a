/// A command of the tool, which decides which options there are.
enum Command: Hashable {
    /// Requests whose bodies are written.
    case request
    case feed(FeedKind)
    case webSocket
    case download
    case tour
}

extension Command: CaseIterable {
    static let allCases = [.request] + FeedKind.allCases.map(Command.feed) + [.webSocket, .download, .tour]

    /// The word that selects the command; `nil` for requests.
    var word: String? {
        switch self {
        case .request: nil
        case .feed(let kind): kind.rawValue
        case .webSocket: "ws"
        case .download: "download"
        case .tour: "tour"
        }
    }

    init?(word: String) {
        guard let command = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = command
    }

    /// The command as the command line has it.
    var name: String { word.map { "streams \($0)" } ?? "streams" }
}

// MARK: Commands that have options

extension Command {
    static let feeds = Set(FeedKind.allCases.map(Command.feed))
    /// The commands that write bodies as they are.
    static let transfers: Set<Command> = [.request, .download]
    /// The commands whose requests may have a body. A download is a GET, and a WebSocket is opened by one of HTTP/1.1.
    static let withBody = all.subtracting([.webSocket, .download])
    /// The commands that make requests.
    static let all = feeds.union([.request, .download, .webSocket])
}
