/// A shell that completes the words of command lines by a script.
enum CompletionShell: String, CaseIterable {
    case bash, zsh, fish

    var script: String {
        switch self {
        case .bash: BashCompletion.script
        case .zsh: ZshCompletion.script
        case .fish: FishCompletion.script
        }
    }
}

/// The values of an option that a shell can complete.
enum CompletedValues: Hashable {
    /// Fixed words.
    case words([String])
    case files
    case folders
    /// Files, after an at sign.
    case contents
}

extension Option.Entry {
    /// The values that a shell can complete, as the placeholder tells them; `nil` for any others.
    var completedValues: CompletedValues? {
        guard let alternatives = value?.split(separator: "|").map(String.init) else { return nil }
        if alternatives.allSatisfy({ $0.allSatisfy(\.isLowercase) }) { return .words(alternatives) }
        if alternatives.contains(where: { $0 == "FILE" || $0.hasPrefix("FILE[") }) { return .files }
        if alternatives.contains("@FILE") { return .contents }
        return alternatives.contains("DIR") ? .folders : nil
    }

    /// The first clause of the description.
    var summary: String {
        let words = text.split(whereSeparator: \.isWhitespace)
        let last = words.firstIndex { ";:.".contains($0.suffix(1)) } ?? words.endIndex - 1
        let clause = words[...last].joined(separator: " ")
        return ";:.".contains(clause.suffix(1)) ? String(clause.dropLast()) : clause
    }
}

/// Options that the same commands have.
struct OptionGroup {
    /// The words of the commands, in the order of the help; ``requestWord`` for requests.
    let words: [String]
    let options: [Option]

    /// The word by which scripts name requests, which have no command.
    static let requestWord = "request"

    /// All options, by their commands.
    static let all: [OptionGroup] = {
        var sets: [Set<Command>] = []
        for option in Option.allCases where !sets.contains(option.commands) { sets.append(option.commands) }
        return sets.map { commands in
            OptionGroup(
                words: Command.allCases.filter(commands.contains).map { $0.word ?? requestWord },
                options: Option.allCases.filter { $0.commands == commands })
        }
    }()
}

extension Command {
    /// The words of all commands that have one.
    static let words = allCases.compactMap(\.word)
}

extension Option {
    /// The names of all options that take a value.
    static let namesWithValue = allCases.filter(\.takesValue).flatMap(\.entry.names)
}

extension String {
    /// The text as a word of bash and zsh.
    var shellQuoted: String {
        "'\(split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }
}
