/// The secrets of the URLs in a text: the values of secret parameters, and user information.
///
/// URLs stand in parameters of others as they are, or percent-encoded, perhaps several times. The text is that of bytes,
/// because a combining mark behind a delimiter makes it another character.
struct URLSecrets {
    struct Secret: Equatable {
        /// The bytes of the secret.
        var range: Range<Int>
        /// Whether the secret is user information. Its last character is the at sign.
        let isUserInformation: Bool

        /// The bytes to replace where the text keeps its length.
        var hidden: Range<Int> { isUserInformation ? range.dropLast() : range }
    }

    /// The number of codings that are looked into, one inside of the other.
    private static let maxDepth = 4

    private let redaction: Redaction
    private(set) var found: [Secret] = []

    init(_ redaction: Redaction) {
        self.redaction = redaction
    }
}

// MARK: Texts

extension URLSecrets {
    /// Adds the secrets of URLs anywhere in a text.
    mutating func add(inText text: UnsafeBufferPointer<UInt8>) {
        guard text.contains(where: ASCIISet.secretMarks.contains) else { return }
        var start = 0
        while start < text.count {
            let end = text[start...].firstIndex { $0 <= 0x20 || ASCIISet.urlEnds.contains($0) } ?? text.count
            add(ofURL: text, in: start..<end)
            start = end + 1
        }
    }

    /// Adds the secrets of a URL, or of a text that ends with one. It need not be valid.
    mutating func add(ofURL text: UnsafeBufferPointer<UInt8>, in range: Range<Int>? = nil, depth: Int = 0) {
        let range = range ?? 0..<text.count
        // Most URLs have none.
        guard text[range].contains(where: ASCIISet.secretMarks.contains) else { return }
        var place = text[range].firstIndex(where: ASCIISet.parameterStarts.contains) ?? range.upperBound
        add(ofValue: text, in: range.lowerBound..<place, depth)
        while place < range.upperBound {
            let start = place + 1
            let end = text[start..<range.upperBound].firstIndex(where: ASCIISet.parameterEnds.contains)
            place = end ?? range.upperBound
            add(ofParameter: text, in: start..<place, depth)
        }
    }

    /// Adds the secrets of a form.
    mutating func add(ofForm text: UnsafeBufferPointer<UInt8>) {
        var start = 0
        while start < text.count {
            let end = text[start...].firstIndex(of: UInt8(ascii: "&")) ?? text.count
            let value = valueStart(of: text, in: start..<end)
            if !add(ifSecret: text, in: start..<end, value, upTo: end) { add(ofURL: text, in: value..<end) }
            start = end + 1
        }
    }
}

// MARK: Parameters

extension URLSecrets {
    private mutating func add(ofParameter text: UnsafeBufferPointer<UInt8>, in range: Range<Int>, _ depth: Int) {
        // Some servers also separate parameters by semicolons.
        var start = range.lowerBound
        while start < range.upperBound {
            let end = text[start..<range.upperBound].firstIndex(of: UInt8(ascii: ";")) ?? range.upperBound
            let value = valueStart(of: text, in: start..<end)
            // A secret may contain semicolons.
            guard !add(ifSecret: text, in: start..<end, value, upTo: range.upperBound) else { return }
            add(ofValue: text, in: value..<end, depth)
            start = end + 1
        }
    }

    /// Returns the start of a parameter's value, which is that of the parameter if it has no name.
    private func valueStart(of text: UnsafeBufferPointer<UInt8>, in range: Range<Int>) -> Int {
        text[range].firstIndex(of: UInt8(ascii: "=")).map { $0 + 1 } ?? range.lowerBound
    }

    /// Adds the value of a parameter if its name says that it is secret.
    ///
    /// - Parameters:
    ///   - start: The start of the value.
    ///   - end: The end of the value, if it is secret.
    /// - Returns: Whether it is secret.
    private mutating func add(
        ifSecret text: UnsafeBufferPointer<UInt8>, in range: Range<Int>, _ start: Int, upTo end: Int
    ) -> Bool {
        let name = text[range.lowerBound..<max(start - 1, range.lowerBound)]
        guard start > range.lowerBound, redaction.isSecret(parameter: Substring(decoding: name, as: UTF8.self)) else {
            return false
        }
        found.append(Secret(range: start..<end, isUserInformation: false))
        return true
    }

    /// Adds the secrets of a URL in a value, which may be percent-encoded.
    private mutating func add(ofValue text: UnsafeBufferPointer<UInt8>, in range: Range<Int>, _ depth: Int) {
        guard depth < Self.maxDepth, range.contains(where: { text[$0] == UInt8(ascii: "%") }) else {
            return add(ofUserInformation: text, in: range)
        }
        let decoded = DecodedText(percentEncoded: text, in: range)
        // Otherwise, a lone percent sign would be decoded again.
        guard decoded.bytes.count < range.count else { return add(ofUserInformation: text, in: range) }
        var secrets = URLSecrets(redaction)
        decoded.bytes.withUnsafeBufferPointer { secrets.add(ofURL: $0, depth: depth + 1) }
        found += secrets.found.map {
            Secret(range: decoded.source(of: $0.range), isUserInformation: $0.isUserInformation)
        }
    }

    /// Adds the user information of URLs (RFC 3986, section 3.2.1).
    private mutating func add(ofUserInformation text: UnsafeBufferPointer<UInt8>, in range: Range<Int>) {
        guard range.contains(where: { text[$0] == UInt8(ascii: "@") }) else { return }
        var place = range.lowerBound
        while let colon = text[place..<range.upperBound].firstIndex(of: UInt8(ascii: ":")) {
            place = colon + 1
            guard text[place..<range.upperBound].starts(with: "//".utf8) else { continue }
            let start = colon + 3
            let end = text[start..<range.upperBound].firstIndex(of: UInt8(ascii: "/")) ?? range.upperBound
            guard let sign = text[start..<end].lastIndex(of: UInt8(ascii: "@")) else { continue }
            found.append(Secret(range: start..<(sign + 1), isUserInformation: true))
            place = sign + 1
        }
    }
}

extension ASCIISet {
    /// The characters of which a text with a secret has one.
    fileprivate static let secretMarks = ASCIISet("?#@%")
    fileprivate static let parameterStarts = ASCIISet("?#")
    fileprivate static let parameterEnds = ASCIISet("?#&")
    /// The characters that are in no URL, and often around one (RFC 3986, appendix C).
    fileprivate static let urlEnds = ASCIISet("\"<>\\`\u{7F}")
}

extension Redaction {
    /// Returns the secrets of the URLs in a text, in their order.
    func secrets(inText text: [UInt8]) -> [URLSecrets.Secret] {
        var secrets = URLSecrets(self)
        text.withUnsafeBufferPointer { secrets.add(inText: $0) }
        return secrets.found
    }
}
