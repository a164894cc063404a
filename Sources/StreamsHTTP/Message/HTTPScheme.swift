/// A URL's scheme.
public enum HTTPScheme: String, Hashable, Sendable, CaseIterable {
    /// In clear text.
    case http
    /// Over TLS.
    case https
}

extension HTTPScheme: CustomStringConvertible {
    public var description: String { rawValue }
}
