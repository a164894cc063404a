import StreamsHTTP

/// Reads the words of a command line, and the files of `-K`, into the requests that `--next` separates.
struct ArgumentReader {
    /// The maximum number of files of `-K` that name each other.
    private static let maxDepth = 8

    private var earlier: [RequestArguments] = []
    private var current = RequestArguments()
    /// The document that an option asks for, the first of them; `nil` for none.
    private(set) var document: Document?
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
    mutating func readOperand(_ word: FieldText) {
        current.operands.append(Operand(word))
    }

    /// Reads the options of one word.
    ///
    /// - Parameter values: The words after it. The first is removed if an option takes it as its value.
    mutating func readOptions(_ word: FieldText, values: inout ArraySlice<FieldText>) throws(UsageError) {
        let text = word.string
        let optionWord = OptionWord(text)
        guard let last = optionWord.names.last else { return }
        for name in optionWord.names.dropLast() { try apply(NamedOption(name), "") }
        let option = try NamedOption(last)
        let attached = optionWord.valueStart.map { FieldText(text[$0...], of: word) }
        let mayHaveNumber = option.option.mayHaveNumber && last.hasPrefix("--")
        switch (option.option.takesValue, attached) {
        case (true, let value?): try apply(option, value)
        case (true, nil): try apply(option, Self.value(of: option, &values))
        case (false, let value?) where mayHaveNumber: try apply(option, value)
        case (false, nil) where mayHaveNumber && values.first?.isNumber == true:
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
        if document == nil { document = try Document(option, value) }
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
