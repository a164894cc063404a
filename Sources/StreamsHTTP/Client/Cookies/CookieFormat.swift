/// The format of files with cookies that Netscape's browsers had, and that curl and others write: a title, and a cookie
/// a line.
enum CookieFormat {
    /// The contents of a file.
    struct Contents {
        var cookies: [Cookie] = []
        /// The lines that are kept as they are: comments, and lines from which a jar takes no cookie. Other programs may
        /// have a use for them.
        var otherLines: [Data] = []
    }

    /// The first line of a file.
    private static let title = "# Netscape HTTP Cookie File"

    /// Returns the bytes of a file.
    ///
    /// - Parameter contents: The contents. All cookies can be written (``Cookie/isWritable``).
    static func data(of contents: Contents) -> Data {
        // The cookies come last: of two lines for one cookie, programs take the last.
        let lines = [Data(title.utf8)] + contents.otherLines + [Data()] + contents.cookies.map { CookieLine($0).data }
        return lines.reduce(into: Data()) { data, line in
            data.append(line)
            data.append(UInt8(ascii: "\n"))
        }
    }

    /// Returns the contents of a file.
    ///
    /// - Parameters:
    ///   - data: The bytes of the file.
    ///   - suffixes: The public suffixes.
    /// - Returns: `nil` if the file is none with cookies.
    static func contents(of data: Data, under suffixes: PublicSuffixes) -> Contents? {
        var contents = Contents()
        var lines = data.split(separator: UInt8(ascii: "\n"))[...]
        var isRecognized = lines.first.map(isTitle) ?? true
        if isRecognized { lines = lines.dropFirst() }
        for line in lines where !line.elementsEqual([UInt8(ascii: "\r")]) {
            if let parts = CookieLine(line), let cookie = parts.cookie, cookie.isAcceptable(under: suffixes) {
                contents.cookies.append(cookie)
                // Tables of other programs have columns that could be a cookie's, but not these words.
                isRecognized = isRecognized || parts.hasFlags
            } else {
                contents.otherLines.append(line)
            }
        }
        return isRecognized ? contents : nil
    }

    private static func isTitle(_ line: Data) -> Bool {
        let text = String(decoding: line, as: UTF8.self)
        return text.hasPrefix("# ") && text.contains("HTTP Cookie File")
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
