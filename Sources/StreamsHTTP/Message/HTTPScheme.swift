/// A URL's scheme.
public enum HTTPScheme: String, Hashable, Sendable, CaseIterable {
    case http
    case https
}

extension HTTPScheme: CustomStringConvertible {
    public var description: String { rawValue }
}
