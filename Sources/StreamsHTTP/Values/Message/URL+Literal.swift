extension URL {
    /// Creates a URL from a literal, which must be an absolute URL with a host.
    ///
    /// ```swift
    /// static let api = URL(literal: "https://api.example.com/v1")
    /// ```
    ///
    /// An invalid literal stops the program when it is first used. The message contains the literal and its source
    /// location. For URLs that come from outside, use `URL(string:)`.
    ///
    /// - Parameters:
    ///   - literal: The percent-encoded URL.
    ///   - file: The file of the literal.
    ///   - line: The line of the literal.
    public init(literal: StaticString, file: StaticString = #fileID, line: UInt = #line) {
        let text = "\(literal)"
        // Unlike a failed precondition, this prints its message in an optimised build too.
        guard let url = URL(string: text, encodingInvalidCharacters: false), url.scheme != nil,
            let host = url.host(), !host.isEmpty
        else { fatalError("\(text.debugDescription) is no absolute URL", file: file, line: line) }
        self = url
    }
}
