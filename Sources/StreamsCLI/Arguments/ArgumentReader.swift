import StreamsHTTP

/// Reads the words of a command line, and the files of `-K`, into the requests that `--next` separates.
struct ArgumentReader {
    /// The maximum number of files of `-K` that name each other.
    private static let maxDepth = 8

    private var earlier: [RequestArguments] = []
    private var current = RequestArguments()
    /// The number of files that are being read.
    private var depth = 0

    /// The requests as they were read, in their order. How they are shown is the same for all.
    var requests: [RequestArguments] {
        (earlier + [current]).map { request in
            var request = request
            request.takeGlobalOptions(of: current)
            return request
        }
    }

    /// Reads an argument that is no option.
    mutating func readOperand(_ word: FieldText) throws(UsageError) {
        current.operands.append(try Operand(word))
    }

    /// Reads the options of one word.
    ///
    /// - Parameters:
    ///   - word: The word: `--name`, `--name=value`, `-n`, `-nvalue`, or several short options such as `-sk`, of which
    ///     the last may have a value.
    ///   - values: The words after it. The first is removed if an option takes it as its value.
    mutating func readOptions(_ word: FieldText, values: inout ArraySlice<FieldText>) throws(UsageError) {
        guard !word.string.hasPrefix("--") else { return try readLongOption(word, values: &values) }
        var rest = word.string.dropFirst()
        while let letter = rest.popFirst() {
            let option = try NamedOption("-\(letter)")
            guard option.option.takesValue else {
                try apply(option, "")
                continue
            }
            let value = if rest.isEmpty { try Self.value(of: option, &values) } else { FieldText(rest, of: word) }
            return try apply(option, value)
        }
    }

    private mutating func readLongOption(
        _ word: FieldText, values: inout ArraySlice<FieldText>
    ) throws(UsageError) {
        let text = word.string
        let end = text.firstIndex(of: "=")
        let option = try NamedOption(String(text[..<(end ?? text.endIndex)]))
        let attached = end.map { FieldText(text[text.index(after: $0)...], of: word) }
        switch (option.option.takesValue, attached) {
        case (true, let value?): try apply(option, value)
        case (true, nil): try apply(option, Self.value(of: option, &values))
        case (false, let value?) where option.option.mayHaveNumber: try apply(option, value)
        case (false, nil) where option.option.mayHaveNumber && values.first?.isNumber == true:
            try apply(option, Self.value(of: option, &values))
        case (false, nil): try apply(option, "")
        case (false, _?): throw UsageError("\(option.name) takes no value")
        }
    }

    private static func value(
        of option: NamedOption, _ values: inout ArraySlice<FieldText>
    ) throws(UsageError) -> FieldText {
        guard let value = values.popFirst() else { throw UsageError("\(option.name) needs a value") }
        return value
    }

    private mutating func apply(_ option: NamedOption, _ value: FieldText) throws(UsageError) {
        try current.apply(option, value)
        switch option.option {
        case .next: try beginRequest()
        case .configuration: try readFile(at: try value.utf8("the name of a file"))
        default: break
        }
    }

    private mutating func beginRequest() throws(UsageError) {
        guard !current.operands.isEmpty else { throw UsageError("a URL is missing before --next") }
        earlier.append(current)
        current = RequestArguments()
        current.takeGlobalOptions(of: earlier[earlier.count - 1])
    }

    // MARK: -K

    private mutating func readFile(at path: String) throws(UsageError) {
        guard depth < Self.maxDepth else { throw UsageError("the files of -K name each other too often") }
        depth += 1
        defer { depth -= 1 }
        let content: Data
        do throws(SystemError) {
            content = try ContentSource(path: path).read()
        } catch {
            throw UsageError(error.description, status: .readFailed)
        }
        for line in content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            do throws(UsageError) {
                if let option = try ConfigurationOption(line: line.element) { try read(option) }
            } catch {
                throw UsageError("line \(line.offset + 1) of \(path): \(error)", status: error.status)
            }
        }
    }

    private mutating func read(_ option: ConfigurationOption) throws(UsageError) {
        var values = (option.value.map { [$0] } ?? [])[...]
        try readOptions(FieldText(option.name), values: &values)
        guard values.isEmpty else { throw UsageError("\(option.name) takes no value") }
    }
}

extension FieldText {
    fileprivate var isNumber: Bool { !isEmpty && string.utf8.allSatisfy(\.isDigit) }
}
