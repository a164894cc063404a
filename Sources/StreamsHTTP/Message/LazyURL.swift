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

extension LazyURL: Equatable {
    static func == (left: LazyURL, right: LazyURL) -> Bool { left.text == right.text }
}

extension LazyURL {
    /// Returns this URL with the fragment of another one, unless it has a fragment itself.
    func inheritingFragment(of other: LazyURL) -> LazyURL {
        let number = UInt8(ascii: "#")
        guard let start = other.text.utf8.firstIndex(of: number), !text.utf8.contains(number) else { return self }
        return LazyURL(text + other.text[start...])
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
