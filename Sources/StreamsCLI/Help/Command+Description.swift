/// The descriptions of commands in the help, the manual and the completions.
extension Command {
    /// The arguments, as the usage has them.
    var synopsis: String {
        switch self {
        case .request: "streams [METHOD] URL... [OPTION]..."
        case .feed(.serverSentEvents): "streams sse [METHOD] URL [OPTION]..."
        case .feed(.lines): "streams lines [METHOD] URL [OPTION]..."
        case .feed(.polls): "streams poll --every S URL [OPTION]..."
        case .webSocket: "streams ws URL [OPTION]..."
        case .download: "streams download URL... [OPTION]..."
        case .tour: "streams tour"
        }
    }

    /// The description, as one clause.
    var summary: String {
        switch self {
        case .request: "send a request for each URL, and write the bodies"
        case .feed(.serverSentEvents): "subscribe to server-sent events"
        case .feed(.lines): "subscribe to the lines of a body without an end"
        case .feed(.polls): "request again and again, and write what changes"
        case .webSocket: "send and receive the messages of a WebSocket"
        case .download: "download files, and resume what an earlier run has left"
        case .tour: "show what the library does, live; also without any argument"
        }
    }

    /// The description in whole sentences. The options of requests are those of all commands.
    var details: String {
        switch self {
        case .request:
            """
            Sends one request for each URL, one after the other, and writes the bodies of the responses to standard output.
            A URL with {a,b}, [a-c], [1-100] or [001-100:10] stands for several. One without a scheme is one of http://, and
            of ws:// for streams ws. The options have the names of curl's, and do what curl's do: what they cannot do is
            refused. Short ones can be combined, as in -sk. The value of a long one follows a space or an equals sign.
            """
        case .feed:
            """
            streams sse, lines and poll write the data of each element on a line, and connect again. They tell the first
            failure, and that elements may be repeated; -v tells more.
            """
        case .webSocket:
            """
            streams ws sends each line of standard input as a message, and writes each message on a line. The end of standard
            input closes the connection, and so do SIGINT and SIGTERM, with the code 1001.
            """
        case .download:
            """
            streams download writes each file whole, verified, and named when it is complete. A file with the checksum, or one
            that it has written and that the server has not changed, is not downloaded again.
            """
        case .tour:
            "streams tour starts a server inside the process, and shows requests to it. It takes no options."
        }
    }

    var examples: [String] {
        switch self {
        case .request:
            ["streams https://example.com/", "streams --json '{\"name\":\"ada\"}' https://example.com/users"]
        case .feed(.serverSentEvents): ["streams sse https://example.com/events --last-event-id 42"]
        case .feed(.lines): ["streams lines --cursor since=id 'https://example.com/log?since=0'"]
        case .feed(.polls): ["streams poll --every 10 https://example.com/status"]
        case .webSocket: ["echo '{\"op\":\"subscribe\"}' | streams ws --linger 60 wss://example.com/prices"]
        case .download: ["streams download --parallel 2 'https://example.com/part-[1-9].zip' --output-dir parts"]
        case .tour: ["streams tour"]
        }
    }

    /// The exit statuses that a user of the command meets most.
    var exitStatuses: [ExitStatus] {
        let common: [ExitStatus] = [.success, .usage, .hostNotResolved, .notConnected, .errorResponse, .timeout]
        return switch self {
        case .request, .feed: common
        case .webSocket: common + [.closedUnexpectedly]
        case .download: common + [.writeFailed, .undecodableContent]
        case .tour: [.success, .tourFailed]
        }
    }
}

extension Option.Section {
    var title: String {
        switch self {
        case .request: "Request"
        case .response: "Response"
        case .time: "Time"
        case .feeds: "Feeds"
        case .webSockets: "WebSockets"
        case .downloads: "Downloads"
        case .connection: "Connection"
        case .display: "Display"
        }
    }

    /// The command that the options are for; `nil` for those of all.
    var command: Command? {
        switch self {
        case .feeds: .feed(.serverSentEvents)
        case .webSockets: .webSocket
        case .downloads: .download
        case .request, .response, .time, .connection, .display: nil
        }
    }

    var options: [Option] { Option.allCases.filter { $0.entry.section == self } }
}
