import StreamsHTTP

/// The header fields as the command line describes them.
struct HeaderArguments {
    /// The fields of `-H`.
    private var given = HTTPHeaders()
    /// The names that `-H` removes.
    private var removals: [String] = []
    private var userAgent: FieldText?
    private var referer: FieldText?
    private var cookies: [FieldText] = []
    /// The names of fields that carry secrets, in small letters.
    private var sensitiveNames: Set<String> = []

    /// All fields. Those of `-H` come instead of those of other options.
    var fields: HTTPHeaders {
        var fields = given
        let others: [(String, FieldText?)] = [
            ("User-Agent", userAgent), ("Referer", referer), ("Cookie", cookieField),
        ]
        for case (let name, let value?) in others where !value.isEmpty && !given.contains(name) {
            fields.add(HTTPHeaders.Field(name: name, text: value))
        }
        return HTTPHeaders(
            fields.map { field in
                let isSensitive = field.isSensitive || sensitiveNames.contains(field.name.lowercased())
                return HTTPHeaders.Field(name: field.name, text: field.text, isSensitive: isSensitive)
            })
    }

    /// The cookies of `-b`; `nil` if there are none, or if `-H` gives others instead.
    var cookieField: FieldText? {
        cookies.isEmpty || given.contains("Cookie") ? nil : cookies.joined(separator: ";")
    }

    /// The names of the fields that are not sent, even if the tool or the library would add them.
    var removedNames: [String] {
        (removals + (userAgent == "" ? ["User-Agent"] : [])).filter { !given.contains($0) }
    }

    /// Returns whether a field is not sent, even if the tool or the library would add it.
    func removes(_ name: String) -> Bool { removedNames.contains { $0.lowercased() == name.lowercased() } }

    /// Reads the value of `-H`: `Name: value`, `Name:` to send no such field, `Name;` for a field without a value, or
    /// `@FILE` or `@-` for a file with one of these in each line.
    mutating func add(_ argument: FieldText) throws(UsageError) {
        guard argument.string.hasPrefix("@") else { return try addLine(argument) }
        let source = try ContentSource(argument: argument)
        let content: Data
        do throws(SystemError) {
            content = try source.read()
        } catch {
            throw UsageError(error.description)
        }
        for line in content.split(separator: UInt8(ascii: "\n")) {
            let line = FieldText(bytes: line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
            if !line.isEmpty, !line.string.hasPrefix("#") { try addLine(line) }
        }
    }

    private mutating func addLine(_ text: FieldText) throws(UsageError) {
        try Self.check(text, of: "a header")
        let line = text.string
        let end = line.utf8.firstIndex { $0 == UInt8(ascii: ":") } ?? line.utf8.lastIndex { $0 == UInt8(ascii: ";") }
        guard let end, line.utf8[end] == UInt8(ascii: ":") || line.utf8.index(after: end) == line.utf8.endIndex else {
            // The line is not shown: it may be a credential.
            throw UsageError("a header has no colon; write 'Name: value'")
        }
        let name = String(line[..<end])
        guard name.isToken else { throw UsageError("\(name.quoted) is no name of a header") }
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var value = line[line.utf8.index(after: end)...].drop(while: isBlank)
        while let last = value.last, isBlank(last) { value.removeLast() }
        guard value.isEmpty, line.utf8[end] == UInt8(ascii: ":") else {
            return given.add(HTTPHeaders.Field(name: name, text: FieldText(value, of: text)))
        }
        guard !["host", "content-length", "transfer-encoding"].contains(name.lowercased()) else {
            throw UsageError("a request cannot do without \(name)")
        }
        removals.append(name)
    }

    /// Sets the value of `-A`; an empty one sends no such field.
    mutating func setUserAgent(_ value: FieldText) throws(UsageError) {
        try Self.check(value, of: "-A")
        userAgent = value
    }

    mutating func setReferer(_ value: FieldText) throws(UsageError) {
        try Self.check(value, of: "-e")
        guard !value.string.hasSuffix(";auto") else {
            throw UsageError("-e sends a URL, and has no ;auto for redirects")
        }
        referer = value
    }

    /// Adds the value of `-b`: cookies, not the name of a file with them.
    mutating func addCookies(_ value: FieldText) throws(UsageError) {
        try Self.check(value, of: "-b")
        cookies.append(value)
    }

    /// Checks that a text can be sent in a field. Messages never show it.
    private static func check(_ text: FieldText, of name: String) throws(UsageError) {
        guard text.string.utf8.allSatisfy({ $0 == UInt8(ascii: "\t") || ($0 >= 0x20 && $0 != 0x7F) }) else {
            throw UsageError("\(name) cannot contain a line break or another control character")
        }
    }

    /// Marks fields as sensitive. A name without a field is probably a mistake.
    mutating func mark(_ names: [String]) throws(UsageError) {
        let fields = fields
        if let missing = names.first(where: { !fields.contains($0) }) {
            throw UsageError("--sensitive \(missing.quoted) names no header that -H gives")
        }
        sensitiveNames = Set(names.map { $0.lowercased() })
    }
}
