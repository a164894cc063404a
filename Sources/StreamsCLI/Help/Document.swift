import StreamsHTTP

/// A text about the tool, which an option asks for instead of a request.
enum Document {
    /// The help of a command; that of all for `nil`.
    case help(Command?)
    case version
    case completionScript(CompletionShell)
    case manual
}

extension Document {
    /// Creates the document that an option asks for; `nil` for another option.
    init?(_ option: NamedOption, _ value: FieldText) throws(UsageError) {
        switch option.option {
        case .help: self = .help(nil)
        case .version: self = .version
        case .completionScript:
            guard let shell = CompletionShell(rawValue: value.string) else {
                let shells = CompletionShell.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("\(option.name) is one of \(shells), and \(value.string.quoted) is none")
            }
            self = .completionScript(shell)
        case .manual: self = .manual
        default: return nil
        }
    }

    /// Returns the document of a command: only the help is another one for each.
    func of(_ command: Command?) -> Document {
        if case .help = self { .help(command) } else { self }
    }

    var text: String {
        switch self {
        case .help(let command?): Help.text(of: command)
        case .help(nil): Help.text
        case .version: "streams \(HTTPClient.version) (\(SystemTransport.runtime))\n"
        case .completionScript(let shell): shell.script
        case .manual: Manual.text(at: time(nil))
        }
    }

    /// Writes the text to standard output.
    func print() -> ExitStatus {
        do throws(SystemError) {
            try Descriptor.standardOutput.writeAll(Data(text.utf8))
            return .success
        } catch {
            return error.isClosedPipe ? .success : .writeFailed
        }
    }
}
