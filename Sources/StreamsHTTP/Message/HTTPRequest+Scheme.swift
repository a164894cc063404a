extension HTTPRequest {
    /// A URL's scheme.
    public enum Scheme: String, Hashable, Sendable, CaseIterable {
        /// In clear text.
        case http
        /// Over TLS.
        case https
    }
}

extension HTTPRequest.Scheme: CustomStringConvertible {
    public var description: String { rawValue }
}
