// The redaction of bodies: JSON documents, URL-encoded forms, and multipart forms of both.

extension Redaction {
    /// The maximum size of a request's body that is decoded to be redacted, as of a response's that is collected.
    private static let maxDecodedSize = 64 * 1024 * 1024

    /// Returns the body of a request, decoded: in a content coding, secrets would be hidden from the redaction, and not
    /// from readers. If it cannot be decoded, each byte is an asterisk.
    ///
    /// - Parameters:
    ///   - body: The bytes that were sent.
    ///   - headers: The header fields of the request.
    package func redacting(requestBody body: Data, _ headers: HTTPHeaders) -> Data {
        let (codings, contentType) = (ContentCoding.names(in: headers), headers["Content-Type"])
        guard !codings.isEmpty else { return redacting(body: body, contentType: contentType) }
        guard let decoded = ContentCoding.decoded(body, of: codings, limit: Self.maxDecodedSize) else {
            return isEmpty ? body : .asterisks(body.count)
        }
        return redacting(body: decoded, contentType: contentType)
    }

    /// Returns a body of the same length. Each byte of a secret string is an asterisk, and each digit of a secret number a
    /// one. A body of another type is searched for members of JSON and, unless it is binary, for URLs.
    package func redacting(body: Data, contentType: String?) -> Data {
        let type = contentType?.lowercased() ?? ""
        if type.hasPrefix("application/x-www-form-urlencoded") { return redacting(form: body) }
        if type.hasPrefix("multipart/"), let boundary = contentType?.boundary {
            return redacting(multipart: body, boundary)
        }
        guard !isEmpty else { return body }
        var bytes = Array(body)
        if bytes.contains(UInt8(ascii: "\"")) {
            var redactor = JSONRedactor(bytes, self)
            bytes = redactor.redacted()
        }
        // Text has no NUL, and nearly all other bytes have one.
        return Data(bytes.contains(0) ? bytes : bytes.hiding(secrets(inText: bytes)))
    }

    private func redacting(form: Data) -> Data {
        var secrets = URLSecrets(self)
        let bytes = Array(form)
        bytes.withUnsafeBufferPointer { secrets.add(ofForm: $0) }
        return Data(bytes.hiding(secrets.found))
    }

    /// Redacts the parts between the delimiters (RFC 2046, section 5.1.1).
    private func redacting(multipart: Data, _ boundary: String) -> Data {
        let delimiter = Data("--\(boundary)".utf8)
        var redacted = Data()
        var rest = multipart[...]
        while let place = rest.firstRange(of: delimiter) {
            redacted += redacting(part: rest[..<place.lowerBound]) + delimiter
            rest = rest[place.upperBound...]
        }
        return redacted + redacting(part: rest)
    }

    /// - Parameter part: A part, with its header and the line break before the next delimiter.
    private func redacting(part: Data) -> Data {
        let lineBreak = Data("\r\n".utf8)
        guard let blank = part.firstRange(of: lineBreak + lineBreak) else { return part }
        let lines = String(decoding: part[..<blank.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let head = Dictionary(
            lines.map { line in
                let name = line.prefix { $0 != ":" }
                return (name.lowercased(), String(line.dropFirst(name.count + 1).drop { $0 == " " }))
            }, uniquingKeysWith: { first, _ in first })
        let end = part.suffix(2) == lineBreak ? part.endIndex - 2 : part.endIndex
        let content = part[blank.upperBound..<max(end, blank.upperBound)]
        let name = head["content-disposition"]?.parameter("name") ?? ""
        let redacted =
            isSecret(parameter: name[...])
            ? .asterisks(content.count) : redacting(body: Data(content), contentType: head["content-type"])
        return part[..<blank.upperBound] + redacted + part[content.endIndex...]
    }
}

extension [UInt8] {
    /// Returns as many bytes, with asterisks in place of secrets.
    fileprivate func hiding(_ secrets: [URLSecrets.Secret]) -> [UInt8] {
        var bytes = self
        for place in secrets.lazy.flatMap(\.hidden) { bytes[place] = UInt8(ascii: "*") }
        return bytes
    }
}

extension Data {
    fileprivate static func asterisks(_ count: Int) -> Data { Data(repeating: UInt8(ascii: "*"), count: count) }
}

extension String {
    /// The boundary of a multipart media type.
    fileprivate var boundary: String? { parameter("boundary") }

    /// Returns the value of a parameter of a field (RFC 9110, section 5.6.6), without quotes; `nil` if it has none.
    fileprivate func parameter(_ name: String) -> String? {
        for item in split(separator: ";").dropFirst() {
            let item = item.drop { $0 == " " || $0 == "\t" }
            guard item.lowercased().hasPrefix("\(name)=") else { continue }
            let value = item.dropFirst(name.count + 1)
            return value.first == "\"" ? String(value.dropFirst().prefix { $0 != "\"" }) : String(value)
        }
        return nil
    }
}
