extension MultipartForm {
    /// Returns the form as a body.
    ///
    /// - Parameters:
    ///   - boundary: The delimiter between the parts; `nil` for a random one.
    ///   - generator: The source of a random boundary.
    func body(
        boundary wanted: String?, using generator: inout some RandomNumberGenerator
    ) throws(MultipartForm.Failure) -> HTTPBody {
        var heads: [Data] = []
        for part in parts { heads.append(try part.head(part.formDisposition)) }
        let boundary: String
        if let wanted {
            guard wanted.isBoundary else { throw .boundary(wanted) }
            guard !isInContent(wanted, heads) else { throw .boundaryInContent(wanted) }
            boundary = wanted
        } else {
            boundary = drawBoundary(heads, using: &generator)
        }
        return body(boundary, heads, type: "form-data")
    }

    /// Returns the parts, which are files, as the content of one part of another form (RFC 2388, section 4.2).
    package func mixedBody() throws(MultipartForm.Failure) -> HTTPBody {
        var heads: [Data] = []
        for part in parts { heads.append(try part.head("attachment")) }
        var generator = SystemRandomNumberGenerator()
        return body(drawBoundary(heads, using: &generator), heads, type: "mixed")
    }

    private func drawBoundary(_ heads: [Data], using generator: inout some RandomNumberGenerator) -> String {
        while true {
            let digits = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
            let drawn = (0..<24).map { _ in digits[Int.random(in: digits.indices, using: &generator)] }
            let boundary = "streams-" + String(drawn)
            if !isInContent(boundary, heads) { return boundary }
        }
    }

    private func isInContent(_ boundary: String, _ heads: [Data]) -> Bool {
        let delimiter = Data("--\(boundary)".utf8)
        return heads.contains { $0.contains(delimiter) } || parts.contains { $0.body.content.contains(delimiter) }
    }

    private func body(_ boundary: String, _ heads: [Data], type: String) -> HTTPBody {
        let contentType = "multipart/\(type); boundary=\(boundary.isToken ? boundary : "\"\(boundary)\"")"
        let isReplayable = parts.allSatisfy(\.body.isReplayable)
        guard parts.contains(where: \.body.hasValues) else {
            return HTTPBody(content(boundary, heads), contentType: contentType, isReplayable: isReplayable)
        }
        let content = BodyContent.encoding { [self] coders in
            let form = try encoded(by: coders)
            guard !form.isInContent(boundary, heads) else { throw Failure.boundaryInContent(boundary) }
            return form.content(boundary, heads)
        }
        return HTTPBody(content, contentType: contentType, isReplayable: isReplayable)
    }

    /// Returns the content of the form. Adjacent bodies in memory are joined.
    private func content(_ boundary: String, _ heads: [Data]) -> BodyContent {
        var bodies: [HTTPBody] = []
        var pending = Data()
        for (index, part) in parts.enumerated() {
            pending.append(Data("\(index == 0 ? "" : "\r\n")--\(boundary)\r\n".utf8))
            pending.append(heads[index])
            // A part has no field for a coding.
            let body = part.body.uncompressed
            if case .data(let data) = body.content {
                pending.append(data)
            } else {
                bodies += [.data(pending, contentType: nil), body]
                pending = Data()
            }
        }
        pending.append(Data("\(parts.isEmpty ? "" : "\r\n")--\(boundary)--\r\n".utf8))
        return bodies.isEmpty ? .data(pending) : .sequence(bodies + [.data(pending, contentType: nil)])
    }

    /// Returns this form with the values in its parts encoded.
    private func encoded(by coders: CoderRegistry) throws -> MultipartForm {
        MultipartForm(
            try parts.map { part in
                var part = part
                part.body = try part.body.encoded(by: coders)
                return part
            })
    }
}

extension MultipartForm.Part {
    /// The disposition of a part of a form, without a filename.
    fileprivate var formDisposition: String {
        "form-data; name=\"\(name.withCRLFLineBreaks.quotedInDisposition)\""
    }

    /// Returns the header of the part, including the blank line.
    ///
    /// - Parameter disposition: The disposition without the filename.
    fileprivate func head(_ disposition: String) throws(MultipartForm.Failure) -> Data {
        var disposition = disposition
        if let filename { disposition += "; filename=\"\(filename.quotedInDisposition)\"" }
        var fields: HTTPHeaders = ["Content-Disposition": disposition]
        if let contentType = headers["Content-Type"] ?? body.contentType { fields.add("Content-Type", contentType) }
        for field in headers where !field.name.isEqualIgnoringASCIICase(to: "Content-Type") {
            guard !field.name.isEqualIgnoringASCIICase(to: "Content-Disposition") else {
                throw .header(name: field.name)
            }
            fields.add(field.name, field.value)
        }
        if let name = fields.firstInvalidName { throw .header(name: name) }
        return Data((fields.map { "\($0.name): \($0.value)\r\n" } + ["\r\n"]).joined().utf8)
    }
}

extension BodyContent {
    /// Returns whether the content in memory contains these bytes.
    fileprivate func contains(_ bytes: Data) -> Bool {
        switch self {
        case .data(let data): data.contains(bytes)
        case .sequence(let bodies): bodies.contains { $0.content.contains(bytes) }
        case .compressed(let content, _, _): content.contains(bytes)
        case .empty, .file, .stream, .encoding: false
        }
    }
}

extension Data {
    fileprivate func contains(_ bytes: Data) -> Bool {
        withUnsafeBytes { hay in
            bytes.withUnsafeBytes { needle in
                guard var start = hay.baseAddress, let wanted = needle.baseAddress else { return false }
                let end = start + hay.count
                while end - start >= needle.count,
                    let found = memchr(start, CInt(needle[0]), end - start - needle.count + 1)
                {
                    if memcmp(found, wanted, needle.count) == 0 { return true }
                    start = UnsafeRawPointer(found) + 1
                }
                return false
            }
        }
    }
}

extension String {
    /// Whether this is a valid boundary (RFC 2046, section 5.1.1).
    fileprivate var isBoundary: Bool {
        (1...70).contains(utf8.count) && last != " "
            && utf8.allSatisfy { $0.isASCIIAlphanumeric || "'()+_,-./:=? ".utf8.contains($0) }
    }

    /// This name with CRLF line breaks. The WHATWG's HTML standard normalizes the line breaks of a name, but not those
    /// of a filename, before it escapes them.
    fileprivate var withCRLFLineBreaks: String {
        reduce(into: "") { $0 += $1 == "\r" || $1 == "\n" || $1 == "\r\n" ? "\r\n" : String($1) }
    }

    /// This text, escaped for a quoted parameter of `Content-Disposition`.
    fileprivate var quotedInDisposition: String {
        percentEncoded { "\"\r\n".utf8.contains($0) }
    }
}
