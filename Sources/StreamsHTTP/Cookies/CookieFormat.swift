/// The format of files with cookies that Netscape's browsers had, and that curl and others write: a cookie a line, with
/// seven fields that tabs separate.
enum CookieFormat {
    /// The first line of a file.
    private static let title = "# Netscape HTTP Cookie File"
    /// The mark before the domain of a cookie that browsers keep from scripts.
    private static let httpOnlyMark = "#HttpOnly_"
    /// The latest expiry that is kept, the end of the year 9999. Other programs write later ones for "never", which
    /// no date has exactly.
    private static let maxSeconds: Int64 = 253_402_300_799

    /// Returns the text of a file.
    ///
    /// - Parameter cookies: The cookies, all of which can be written (``Cookie/isWritable``).
    static func text(of cookies: [Cookie]) -> String {
        cookies.reduce(into: "\(title)\n\n") { $0 += line(of: $1) + "\n" }
    }

    /// Returns the cookies of a file. Lines without a cookie are ignored.
    ///
    /// - Parameters:
    ///   - text: The text of the file.
    ///   - suffixes: The public suffixes.
    /// - Returns: `nil` if the text is not that of a file with cookies.
    static func cookies(in text: String, under suffixes: PublicSuffixes) -> [Cookie]? {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n")).map { line in
            Substring(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
        }
        let cookies = lines.compactMap(cookie).filter { $0.isAcceptable(under: suffixes) }
        let isTitled = lines.first.map { $0.hasPrefix("# ") && $0.contains("HTTP Cookie File") } ?? true
        return isTitled || !cookies.isEmpty ? cookies : nil
    }

    private static func line(of cookie: Cookie) -> String {
        let fields = [
            (cookie.isHTTPOnly ? httpOnlyMark : "") + (cookie.includesSubdomains ? "." : "") + cookie.domain,
            flag(cookie.includesSubdomains), cookie.path, flag(cookie.isSecure),
            String(cookie.inFile.expires.flatMap { Int64(exactly: $0.timeIntervalSince1970) } ?? 0), cookie.name,
            cookie.value,
        ]
        return fields.joined(separator: "\t")
    }

    private static func cookie(_ line: Substring) -> Cookie? {
        let isHTTPOnly = line.hasPrefix(httpOnlyMark)
        guard isHTTPOnly || line.first != "#" else { return nil }
        let text = isHTTPOnly ? line.dropFirst(httpOnlyMark.count) : line
        var fields = text.utf8.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        // Some programs leave out an empty value with the tab before it.
        if fields.count == 6 { fields.append("") }
        guard fields.count == 7, let includesSubdomains = flag(fields[1]), let isSecure = flag(fields[3]),
            let seconds = fields[4].isEmpty ? 0 : fields[4].decimalNumber,
            includesSubdomains || !fields[0].hasPrefix(".")
        else { return nil }
        return Cookie(
            fields[5], fields[6], domain: fields[0], path: fields[2], includesSubdomains: includesSubdomains,
            expires: seconds == 0 ? nil : Date(timeIntervalSince1970: Double(min(seconds, maxSeconds))),
            isSecure: isSecure,
            isHTTPOnly: isHTTPOnly)
    }

    private static func flag(_ value: Bool) -> String { value ? "TRUE" : "FALSE" }

    private static func flag(_ text: String) -> Bool? {
        switch text.uppercased() {
        case "TRUE": true
        case "FALSE": false
        default: nil
        }
    }
}

extension Cookie {
    /// The cookie as a file has it: with an expiry of whole seconds, and without the properties that have no field.
    var inFile: Cookie {
        var cookie = self
        cookie.sameSite = nil
        cookie.expires = expires.map { Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.up)) }
        return cookie
    }

    /// Whether a line of a file can have the cookie: none of its texts has a tab, which separates the fields.
    var isWritable: Bool { ![name, value, path].contains { $0.utf8.contains(UInt8(ascii: "\t")) } }
}
