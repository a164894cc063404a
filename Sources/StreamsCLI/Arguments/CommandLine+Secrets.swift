import StreamsHTTP

extension CommandLine {
    /// Overwrites the secrets in the memory of the command line, which `ps` shows to all users of the machine. The
    /// program has to have read ``Swift/CommandLine/words`` before.
    ///
    /// A secret becomes blanks, as with curl: the words stay where they are, so its length can still be seen.
    static func hideSecrets() {
        let pointers = UnsafeMutableBufferPointer(start: unsafeArgv, count: Int(argc)).dropFirst().compactMap(\.self)
        let arguments = pointers.map { UnsafeMutableBufferPointer(start: $0, count: strlen($0)) }
        let words = arguments.map { String(decoding: UnsafeRawBufferPointer($0), as: UTF8.self) }
        for (argument, (word, redacted)) in zip(arguments, zip(words, ArgumentRedaction.redacting(words))) {
            guard word != redacted else { continue }
            let bytes = UnsafeRawBufferPointer(argument)
            let start = zip(bytes, redacted.utf8).prefix { $0 == $1 }.count
            let rest = min(bytes.count, redacted.utf8.count) - start
            let end =
                bytes.count - zip(bytes.reversed(), redacted.utf8.reversed()).prefix(rest).prefix { $0 == $1 }.count
            for place in start..<end { argument[place] = CChar(bitPattern: UInt8(ascii: " ")) }
        }
    }
}
