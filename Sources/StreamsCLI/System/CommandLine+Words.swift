import StreamsHTTP

extension CommandLine {
    /// The words after the program's name. Unlike ``Swift/CommandLine/arguments``, they keep bytes that are not UTF-8.
    static var words: [FieldText] {
        UnsafeMutableBufferPointer(start: unsafeArgv, count: Int(argc)).dropFirst().compactMap { word in
            word.map { FieldText(bytes: UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        }
    }
}

extension FieldText {
    /// Returns the text if its bytes are UTF-8: in other places than fields and content, others cannot be kept.
    ///
    /// - Parameter subject: What the text is, for the message.
    func utf8(_ subject: String) throws(UsageError) -> String {
        guard !isLatin1 else { throw UsageError("\(subject) is not valid UTF-8") }
        return string
    }
}
