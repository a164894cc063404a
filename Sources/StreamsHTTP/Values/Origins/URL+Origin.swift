extension URL {
    /// Returns whether two URLs have the same scheme, host and port (RFC 6454, section 5).
    func hasSameOrigin(as other: URL) -> Bool { origin == other.origin }

    /// The scheme, host and port as a key, which is equal for URLs of the same origin.
    package var origin: String {
        let scheme = scheme?.lowercased() ?? ""
        let port = port ?? (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(host?.lowercased() ?? ""):\(port)"
    }
}
