extension URL {
    /// Makes a URL of a literal, which must be one: an absolute URL with a host.
    ///
    /// ```swift
    /// static let api = URL(literal: "https://api.example.com/v1")
    /// ```
    ///
    /// A literal that is none ends the program where it is first used, naming the literal and its place. A URL that
    /// comes from outside is made by `URL(string:)`.
    ///
    /// - Parameters:
    ///   - literal: The URL, percent-encoded.
    ///   - file: Where the literal stands.
    ///   - line: Where the literal stands.
    public init(literal: StaticString, file: StaticString = #fileID, line: UInt = #line) {
        let text = "\(literal)"
        // Unlike a failed precondition, this says what is wrong in an optimised build too.
        guard let url = URL(string: text, encodingInvalidCharacters: false), url.scheme != nil,
            let host = url.host(), !host.isEmpty
        else { fatalError("\(text.debugDescription) is no absolute URL", file: file, line: line) }
        self = url
    }
}
