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
        for case (.sensitive?, let place, let start) in Self.values(in: redacted) {
            redaction.names.insert(String(redacted[place][start...]))
        }
    }

    private mutating func redact() {
        for (option, place, start) in Self.values(in: redacted) {
            let word = redacted[place]
            redacted[place] = word[..<start] + redacting(String(word[start...]), of: option)
        }
    }
}

// MARK: Values

extension ArgumentRedaction {
    /// Returns the values of options, and the words that belong to no option, with their places.
    private static func values(in words: [String]) -> [(option: Option?, place: Int, start: String.Index)] {
        var values: [(option: Option?, place: Int, start: String.Index)] = []
        var hasEnded = false
        var place = 0
        while place < words.count {
            let word = words[place]
            if hasEnded || !word.hasPrefix("-") || word == "-" {
                values.append((nil, place, word.startIndex))
            } else if word == "--" {
                hasEnded = true
            } else if let (option, start) = optionWithValue(in: word) {
                if let start {
                    values.append((option, place, start))
                } else if place + 1 < words.count {
                    place += 1
                    values.append((option, place, words[place].startIndex))
                }
            }
            place += 1
        }
        return values
    }

    /// Returns the option of a word that takes a value, and the start of the value; `nil` if the next word is the value.
    private static func optionWithValue(in word: String) -> (Option, String.Index?)? {
        guard !word.hasPrefix("--") else {
            let end = word.firstIndex(of: "=")
            guard let option = Option(name: String(word[..<(end ?? word.endIndex)])), option.takesValue else {
                return nil
            }
            return (option, end.map { word.index(after: $0) })
        }
        for place in word.indices.dropFirst() {
            guard let option = Option(name: "-\(word[place])"), option.takesValue else { continue }
            let start = word.index(after: place)
            return (option, start < word.endIndex ? start : nil)
        }
        return nil
    }

    /// Returns the value of an option, or the word of none, which is a URL or the name of a command.
    private func redacting(_ value: String, of option: Option?) -> String {
        switch option {
        case .user, .bearer, .keyPassword, .certificate: ""
        case .cookie: value.contains("=") ? "" : value
        case .proxy: value.withoutTextBeforeHost
        case .header: redacting(header: value)
        case .data, .dataBinary, .dataRaw, .dataEncoded, .json, .form, .formString: redacting(body: value)
        case nil, .url, .referer: redaction.redacting(url: value)
        default: redaction.redacting(text: value)
        }
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
