/// A line with a cookie in a file of Netscape's format: seven fields that tabs separate.
///
/// Programs write these lines in many ways. They are read as curl and wget read them, so that a file means the same to
/// all of them.
struct CookieLine {
    /// The mark before the domain of a cookie that browsers keep from scripts.
    private static let httpOnlyMark = "#HttpOnly_"
    /// The latest expiry that is kept, the end of the year 9999. Other programs write later ones for "never", which
    /// no date has exactly.
    private static let maxSeconds: Double = 253_402_300_799

    private let isHTTPOnly: Bool
    /// The domain, the flag of hosts below it, the path, the flag of TLS, the expiry, the name and the value.
    private let fields: [FieldText]
}

// MARK: Reading

extension CookieLine {
    /// Takes a line apart; `nil` if it is a comment, or has another number of fields.
    init?(_ line: Data) {
        let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        isHTTPOnly = line.starts(with: Self.httpOnlyMark.utf8)
        guard isHTTPOnly || line.first != UInt8(ascii: "#") else { return nil }
        var fields = line.dropFirst(isHTTPOnly ? Self.httpOnlyMark.utf8.count : 0)
            .split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map { FieldText(bytes: $0) }
        // Some programs leave out the path, and some an empty value with the tab before it.
        if fields.count == 5 || fields.count == 6, Self.isFlag(fields[2]) { fields.insert("/", at: 2) }
        if fields.count == 6 { fields.append("") }
        guard fields.count == 7 else { return nil }
        self.fields = fields
    }

    /// The cookie; `nil` without a valid expiry.
    var cookie: Cookie? {
        guard let seconds = Self.seconds(fields[4].string) else { return nil }
        let domain = fields[0].string
        return Cookie(
            fields[5], fields[6], domain: domain,
            // A request's path begins with a slash, so another path is none. curl takes it for the root, too.
            path: fields[2].string.hasPrefix("/") ? fields[2] : "/",
            // The flag counts, not the dot before the domain. An address has no hosts below it.
            includesSubdomains: Self.isTrue(fields[1]) && domain.mayHaveSubdomains,
            expires: seconds == 0 ? nil : Date(timeIntervalSince1970: seconds),
            // curl and wget take all words but `TRUE` for false. A `1` means true here, so that the cookie is not sent in
            // clear text.
            isSecure: Self.isTrue(fields[3]) || fields[3] == "1", isHTTPOnly: isHTTPOnly)
    }

    /// Whether both flags have one of the words that the format defines.
    var hasFlags: Bool { Self.isFlag(fields[1]) && Self.isFlag(fields[3]) }

    /// Returns an expiry in seconds, rounded up as ``Cookie/inFile`` does; browsers have exported fractions. The result
    /// is 0 for a cookie of the session, and `nil` if the text is no such number. A negative one is none: some programs
    /// mean a session by it, and others a cookie that has expired.
    private static func seconds(_ text: String) -> Double? {
        guard !text.isEmpty else { return 0 }
        // `Double` also takes hexadecimal digits, and names of values that are no numbers.
        guard text.utf8.allAre({ ($0 >= 0x30 && $0 <= 0x39) || ".+eE-".utf8.contains($0) }),
            let seconds = Double(text), seconds >= 0
        else { return nil }
        return min(seconds.rounded(.up), maxSeconds)
    }

    private static func isTrue(_ text: FieldText) -> Bool { text.string.isEqualIgnoringASCIICase(to: "TRUE") }

    private static func isFlag(_ text: FieldText) -> Bool {
        isTrue(text) || text.string.isEqualIgnoringASCIICase(to: "FALSE")
    }
}

// MARK: Writing

extension CookieLine {
    /// Creates the line of a cookie.
    init(_ cookie: Cookie) {
        isHTTPOnly = cookie.isHTTPOnly
        fields = [
            "\(cookie.includesSubdomains ? "." : "")\(cookie.domain)", Self.flag(cookie.includesSubdomains),
            cookie.pathText, Self.flag(cookie.isSecure),
            "\(cookie.inFile.expires.flatMap { Int64(exactly: $0.timeIntervalSince1970) } ?? 0)", cookie.nameText,
            cookie.valueText,
        ]
    }

    /// The bytes of the line, without its end.
    var data: Data { Data((isHTTPOnly ? Self.httpOnlyMark : "").utf8 + fields.joined(separator: "\t").bytes) }

    private static func flag(_ value: Bool) -> FieldText { value ? "TRUE" : "FALSE" }
}
