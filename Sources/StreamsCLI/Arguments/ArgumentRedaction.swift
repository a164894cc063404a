import StreamsHTTP

/// The words of a command line without their secrets.
///
/// All users of a machine can read the command lines of its processes, for as long as these run.
struct ArgumentRedaction {
    /// The names of secrets: the usual ones, and those of `--sensitive`.
    private var redaction = Redaction.usual
    private var redacted: [String]

    /// Creates the words without their secrets, each in its place.
    ///
    /// - Parameter words: The words, without the program's name. They need not be a valid command line.
    static func redacting(_ words: [String]) -> [String] {
        var line = ArgumentRedaction(redacted: words)
        line.addSensitiveNames()
        line.redact()
        return line.redacted
    }

    private init(redacted: [String]) {
        self.redacted = redacted
    }

    /// The value of `--sensitive` may follow the header that it names.
    private mutating func addSensitiveNames() {
        for value in ArgumentValue.all(in: redacted) where value.option == .sensitive {
            redaction.names.insert(String(redacted[value.place][value.start...]))
        }
    }

    private mutating func redact() {
        for value in ArgumentValue.all(in: redacted) {
            let word = redacted[value.place]
            redacted[value.place] = word[..<value.start] + redacting(String(word[value.start...]), of: value.option)
        }
    }
}

// MARK: Values

extension ArgumentRedaction {
    /// Returns the value of an option, or the word of none, which is a URL or the name of a command.
    private func redacting(_ value: String, of option: Option?) -> String {
        switch option {
        case .user, .bearer, .keyPassword, .certificate: ""
        case .cookie: value.contains("=") ? "" : value
        case .proxy: value.withoutTextBeforeHost
        case .header: redacting(header: value)
        case .data, .dataBinary, .dataRaw, .dataEncoded, .json, .form, .formString: redacting(body: value)
        case nil, .url: redacting(url: value)
        case .referer: redaction.redacting(url: value)
        default: redaction.redacting(text: value)
        }
    }

    /// Returns a URL, which may begin with its host or with user information.
    private func redacting(url: String) -> String {
        guard url.beginsWithHost else { return redaction.redacting(url: url) }
        return String(redaction.redacting(url: "//\(url)").dropFirst(2))
    }

    private func redacting(header: String) -> String {
        guard let colon = header.firstIndex(of: ":") else { return header }
        let value = header[header.index(after: colon)...]
        let field = HTTPHeaders.Field(name: String(header[..<colon]), value: String(value))
        return "\(field.name):\(redaction.redactedValue(of: field))"
    }

    /// Returns the body of an option, which may be a form or JSON, whatever the option is.
    private func redacting(body: String) -> String {
        let form = redaction.redacting(body: Data(body.utf8), contentType: "application/x-www-form-urlencoded")
        return String(decoding: redaction.redacting(body: form, contentType: nil), as: UTF8.self)
    }
}
