extension URL {
    /// Returns whether two URLs have the same scheme, host and port (RFC 6454, section 5).
    func hasSameOrigin(as other: URL) -> Bool { origin == other.origin }

    /// The scheme, host and port as a key, which is equal for URLs of the same origin.
    package var origin: String {
        "\(scheme?.lowercased() ?? "")://\(host?.lowercased() ?? ""):\(effectivePort.map(String.init) ?? "")"
    }

    private var effectivePort: Int? {
        port ?? (scheme?.lowercased() == "https" ? 443 : 80)
    }
}
