/// An error of the command line, described in one line.
struct UsageError: Error, CustomStringConvertible {
    let description: String
    let status: ExitStatus

    init(_ description: String, status: ExitStatus = .usage) {
        self.description = description
        self.status = status
    }
}

extension String {
    /// This text in quotes, for messages.
    var quoted: String { "'\(self)'" }
}
