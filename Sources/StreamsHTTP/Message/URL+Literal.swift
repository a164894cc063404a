extension URL {
    /// Makes a URL from a literal, which is checked once, when it is made: one that is no URL with a scheme and a host is
    /// a mistake in the program and ends it.
    ///
    /// ```swift
    /// static let base = URL(literal: "https://api.example.com/v1")
    /// ```
    public init(literal: StaticString) {
        guard let url = URL(string: "\(literal)"), url.scheme != nil, url.host() != nil else {
            preconditionFailure("\(literal) is no absolute URL")
        }
        self = url
    }
}
