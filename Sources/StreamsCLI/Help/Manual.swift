import StreamsHTTP

/// The manual page: section 1, in the macros of man(7).
enum Manual {
    /// - Parameter time: The date of the page.
    static func text(at time: time_t) -> String {
        let blocks: [[String]] = [
            [".TH STREAMS 1 \(String(time, format: "%Y-%m-%d")) \"streams \(HTTPClient.version)\" \"User Commands\""],
            [".SH NAME", "streams \\- requests, feeds, WebSockets and downloads from a shell"],
            [".SH SYNOPSIS", ".nf"] + Command.allCases.map { bold($0.synopsis) } + [".fi"],
            [".SH DESCRIPTION"] + paragraph(Command.request.details),
            [".SH COMMANDS"] + Command.allCases.dropFirst().flatMap { row(bold($0.name), $0.summary.sentence) },
            [".SH OPTIONS"],
            Option.Section.allCases.flatMap(section),
            [".SH EXIT STATUS"] + ExitStatus.meanings.flatMap { row(bold("\($0.status.rawValue)"), $0.meaning) },
            [".PP"] + paragraph(ExitStatus.otherMeanings),
            [".SH EXAMPLES", ".nf"] + Command.allCases.flatMap(\.examples).map(escaped) + [".fi"],
            [".SH SEE ALSO", ".BR curl (1)"],
        ]
        return blocks.joined().joined(separator: "\n") + "\n"
    }

    private static func section(_ section: Option.Section) -> [String] {
        [".SS \(section.title)"] + (section.command.map { paragraph($0.details) } ?? [])
            + section.options.flatMap { row(label(of: $0.entry), $0.entry.text.sentence + commands(of: $0)) }
    }

    private static func label(of entry: Option.Entry) -> String {
        entry.names.map(bold).joined(separator: ", ") + (entry.value.map { " \\fI\(escaped($0))\\fR" } ?? "")
    }

    /// Returns the end of the description of an option: the commands that have it, unless all have.
    private static func commands(of option: Option) -> String {
        let commands = Command.allCases.filter(option.commands.contains)
        guard option.commands != Command.all else { return "" }
        return " Commands: \(commands.map { $0.word ?? "requests" }.joined(separator: ", "))."
    }

    /// Returns a paragraph whose first line is a label.
    private static func row(_ label: String, _ text: String) -> [String] {
        [".TP", label] + paragraph(text)
    }

    private static func paragraph(_ text: String) -> [String] {
        TextColumns.lines(text, width: 78).map(escaped)
    }

    private static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }

    /// Returns text in which no character has a meaning for roff, or is printed as another one.
    private static func escaped(_ text: String) -> String {
        let characters = text.map { character -> String in
            switch character {
            case "\\": "\\e"
            case "-": "\\-"
            case "'": "\\(aq"
            case "\"": "\\(dq"
            case "`": "\\(ga"
            case "^": "\\(ha"
            case "~": "\\(ti"
            default: String(character)
            }
        }
        return (text.hasPrefix(".") ? "\\&" : "") + characters.joined()
    }
}
