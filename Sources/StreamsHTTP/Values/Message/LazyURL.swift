import Streams

/// A URL that has been checked as text, and that Foundation parses when it is first needed: parsing takes longer than
/// all else that is done to create a request.
final class LazyURL: Sendable {
    let text: String
    private let parsed: Locked<URL?>

    init(_ text: String) {
        self.text = text
        parsed = Locked(nil)
    }

    init(_ url: URL) {
        text = url.absoluteString
        parsed = Locked(url)
    }

    var url: URL {
        parsed.withLock { parsed in
            // Foundation accepts every checked text. If it did not, a URL of a name that never resolves would be safe.
            let url = parsed ?? URL(string: text) ?? URL(literal: "http://invalid/")
            parsed = url
            return url
        }
    }
}

extension LazyURL: Hashable {
    static func == (left: LazyURL, right: LazyURL) -> Bool { left.text == right.text }

    func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}

extension LazyURL {
    /// Returns this URL with the fragment of another one, unless it has a fragment itself.
    func inheritingFragment(of other: LazyURL) -> LazyURL {
        let number = UInt8(ascii: "#")
        guard let start = other.text.utf8.firstIndex(of: number), !text.utf8.contains(number) else { return self }
        return LazyURL(text + other.text[start...])
    }

    /// Whether the scheme is https.
    var isSecure: Bool {
        text.utf8.withContiguousBytes { bytes in
            bytes.count > 5 && bytes[4].lowercasedASCII == UInt8(ascii: "s") && bytes[5] == UInt8(ascii: ":")
        }
    }

    /// The scheme, host and port as a key, which is equal for texts of the same origin (RFC 6454, section 4). Does not
    /// parse the URL.
    var origin: String {
        text.utf8.withContiguousBytes { bytes in
            let schemeEnd = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
            var end = min(schemeEnd + 3, bytes.count)
            var portStart: Int?
            while end < bytes.count, !Self.endsAuthority(bytes[end]) {
                // The address of a host has colons too, in brackets.
                if bytes[end] == UInt8(ascii: "]") { portStart = nil }
                if bytes[end] == UInt8(ascii: ":") { portStart = end }
                end += 1
            }
            if let portStart, portStart + 1 == end { end = portStart }
            let key = String(unsafeUninitializedCapacity: end) { buffer in
                for place in 0..<end { buffer[place] = bytes[place].lowercasedASCII }
                return end
            }
            if let portStart, portStart < end { return key }
            return key + (schemeEnd == "https".utf8.count ? ":443" : ":80")
        }
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }
}

// MARK: The parts of a request's head

extension LazyURL {
    /// The scheme and the authority, as an absolute form begins (RFC 9112, section 3.2.2).
    var base: Substring { text[..<authority.upperBound] }

    /// The path and the query, either of which may be empty.
    var pathAndQuery: Substring {
        let rest = text[authority.upperBound...]
        return rest.utf8.firstIndex(of: UInt8(ascii: "#")).map { rest[..<$0] } ?? rest
    }

    /// The host, with the port unless it is that of the scheme (RFC 9110, section 7.2).
    var host: Substring {
        let host = text[authority]
        let port = isSecure ? ":443" : ":80"
        let isImplied = host.utf8.suffix(port.utf8.count).elementsEqual(port.utf8)
        return withoutZone(isImplied ? host.dropLast(port.utf8.count) : host)
    }

    /// The name or the address of the host, without port, brackets and zone.
    var hostName: Substring {
        let host = text[authority]
        guard host.utf8.first == UInt8(ascii: "[") else {
            return Substring(host.utf8.prefix { $0 != UInt8(ascii: ":") })
        }
        return host.dropFirst().prefix { $0 != "]" && $0 != "%" }
    }

    /// Returns the host without the zone of its address, which has a meaning on this machine alone (RFC 6874, section 4).
    private func withoutZone(_ host: Substring) -> Substring {
        guard let start = host.utf8.firstIndex(of: UInt8(ascii: "%")),
            let end = host.utf8.lastIndex(of: UInt8(ascii: "]"))
        else {
            return host
        }
        return host[..<start] + host[end...]
    }

    private var authority: Range<String.Index> {
        let utf8 = text.utf8
        let (start, end) = utf8.withContiguousBytes { bytes in
            let start = min((bytes.firstIndex(of: UInt8(ascii: "/")) ?? bytes.count) + 2, bytes.count)
            return (start, bytes[start...].firstIndex(where: Self.endsAuthority) ?? bytes.count)
        }
        return utf8.index(utf8.startIndex, offsetBy: start)..<utf8.index(utf8.startIndex, offsetBy: end)
    }
}

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
