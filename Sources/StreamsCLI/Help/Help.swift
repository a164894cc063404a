/// The help of all commands, or of one: its usage, its own options, and those that it has in common with requests.
enum Help {
    static var text: String {
        let commands = Command.allCases
        let width = commands.map(\.synopsis.count).max() ?? 0
        let usage = commands.enumerated().map { index, command in
            let synopsis = command.synopsis.padding(to: width)
            return (index == 0 ? "Usage: " : "       ") + synopsis + "  " + command.summary
        }
        let sections = Option.Section.allCases.map { section in
            rows(of: section.options, title: section.title, details: section.command?.details)
        }
        let details = Command.request.details + " streams COMMAND --help describes one command."
        return joined([usage.joined(separator: "\n"), paragraph(details)] + sections + [exitStatuses])
    }

    static func text(of command: Command) -> String {
        let options = Option.allCases.filter { $0.commands.contains(command) }
        let own = options.filter { !$0.commands.contains(.request) }
        let examples = ["Examples"] + command.examples.map { "  \($0)" }
        let sections = Option.Section.allCases.map { section in
            rows(of: options.filter { $0.entry.section == section && !own.contains($0) }, title: section.title)
        }
        return joined(
            [
                "Usage: \(command.synopsis)", "\(command.summary.sentence)\n\(paragraph(command.details))",
                examples.joined(separator: "\n"), rows(of: own, title: "Options of \(command.name)"),
            ] + sections + [exitStatuses(of: command)])
    }

    private static func joined(_ parts: [String]) -> String {
        parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    private static func paragraph(_ text: String) -> String {
        TextColumns.lines(text).joined(separator: "\n")
    }

    /// Returns the rows of options under a title; empty for no options.
    private static func rows(of options: [Option], title: String, details: String? = nil) -> String {
        guard !options.isEmpty else { return "" }
        let heading = details.map { paragraph("\(title): \($0)") } ?? title
        let rows = options.map { TextColumns.row("\($0.entry.label)", $0.entry.text) }
        return ([heading] + rows).joined(separator: "\n")
    }

    private static var exitStatuses: String {
        let meanings = ExitStatus.meanings.map { "\($0.status.rawValue) \($0.meaning)" }
        return paragraph("Exit status: \(meanings.joined(separator: "; ")). \(ExitStatus.otherMeanings)")
    }

    private static func exitStatuses(of command: Command) -> String {
        let meanings = ExitStatus.meanings.filter { command.exitStatuses.contains($0.status) }
            .map { "\($0.status.rawValue) \($0.meaning)" }
        return paragraph("Exit status: \(meanings.joined(separator: "; ")). streams --help lists all.")
    }
}

extension Option.Entry {
    /// The names and the placeholder of the value.
    var label: String {
        let names = names.joined(separator: ", ")
        return value.map { "\(names) \($0)" } ?? names
    }
}

extension String {
    /// The text with a capital at its start and a full stop.
    var sentence: String { "\(prefix(1).uppercased())\(dropFirst())." }
}
