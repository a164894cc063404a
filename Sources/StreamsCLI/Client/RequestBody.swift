import StreamsHTTP

extension BodyArguments {
    /// Returns the body with the content of standard input in place of standard input, which can be read once. Its
    /// length is then known, and the body can be sent again, as with curl. An upload is sent while it is read.
    func readingStandardInput() throws(Failure) -> BodyArguments {
        do throws(SystemError) {
            switch self {
            case .data(var pieces):
                for index in pieces.indices { try pieces[index].source.readStandardInput() }
                return .data(pieces)
            case .json(var pieces):
                for index in pieces.indices { try pieces[index].readStandardInput() }
                return .json(pieces)
            case .form(var parts):
                for part in parts.indices {
                    for item in parts[part].items.indices { try parts[part].items[item].source.readStandardInput() }
                }
                return .form(parts)
            case .upload:
                return self
            }
        } catch {
            throw Failure(reading: error)
        }
    }

    /// Returns the body. Its files exist and can be opened.
    func makeBody() throws(Failure) -> HTTPBody {
        do throws(SystemError) {
            switch self {
            case .data(let pieces):
                // A single file is sent while it is read.
                if pieces.count == 1, !pieces[0].isEncoded, !pieces[0].isStripped {
                    return try pieces[0].source.body(contentType: contentType)
                }
                return .data(try pieces.joined(), contentType: contentType)
            case .json(let pieces):
                // A single file is sent while it is read.
                if pieces.count == 1 { return try pieces[0].body(contentType: contentType) }
                var document = Data()
                for piece in pieces { document.append(try piece.read()) }
                return .data(document, contentType: contentType)
            case .upload(let source):
                return try source.body(contentType: contentType)
            case .form(let arguments):
                var form = MultipartForm()
                for argument in arguments { form.append(try argument.makePart()) }
                return try Self.sending { () throws(MultipartForm.Failure) in try .multipart(form) }
            }
        } catch {
            throw Failure(reading: error)
        }
    }

    fileprivate static func sending(
        _ makeBody: () throws(MultipartForm.Failure) -> HTTPBody
    ) throws(SystemError) -> HTTPBody {
        do throws(MultipartForm.Failure) {
            return try makeBody()
        } catch {
            // Only a header field or a boundary of one's own can be refused.
            throw SystemError(action: "cannot send the form", code: EINVAL)
        }
    }
}

extension [DataArgument] {
    /// Returns the pieces, joined with `&`.
    func joined() throws(SystemError) -> Data {
        var data = Data()
        for (number, piece) in enumerated() {
            if number > 0 { data.append(UInt8(ascii: "&")) }
            if let name = piece.name { data.append(contentsOf: name.bytes + "=".utf8) }
            var content = try piece.source.read()
            if piece.isStripped {
                content.removeAll { $0 == 0 || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
            }
            data.append(piece.isEncoded ? content.formEncoded : content)
        }
        return data
    }
}

extension FormArgument {
    fileprivate func makePart() throws(SystemError) -> MultipartForm.Part {
        var parts: [MultipartForm.Part] = []
        for item in items { parts.append(try item.makePart(name, isFile: isFile)) }
        guard parts.count > 1 else { return parts[0] }
        let form = MultipartForm(parts)
        let body = try BodyArguments.sending { () throws(MultipartForm.Failure) in try form.mixedBody() }
        return MultipartForm.Part(name, body)
    }
}

extension FormArgument.Item {
    fileprivate func makePart(_ name: String, isFile: Bool) throws(SystemError) -> MultipartForm.Part {
        guard isFile else {
            return MultipartForm.Part(name, try source.body(contentType: contentType), filename: filename)
        }
        let filename = filename ?? path.lastPathComponent
        let contentType = contentType ?? filename.guessedContentType ?? path.guessedContentType
        return MultipartForm.Part(
            name, try source.body(contentType: contentType ?? "application/octet-stream"), filename: filename)
    }
}

extension ContentSource {
    /// Returns the content as a body. A file exists and can be opened.
    fileprivate func body(contentType: String?) throws(SystemError) -> HTTPBody {
        switch self {
        case .text(let text):
            return .data(Data(text.bytes), contentType: contentType)
        case .content(let content):
            return .data(content, contentType: contentType)
        case .standardInput:
            return InputChunks.standardInput.body(contentType: contentType)
        case .file(let path):
            let action = "cannot read \(path)"
            var status = stat()
            guard stat(path, &status) == 0, access(path, R_OK) == 0 else {
                throw SystemError(action: action, code: errno)
            }
            switch status.st_mode & S_IFMT {
            case S_IFREG:
                return .file(path, contentType: contentType)
            case S_IFDIR:
                throw SystemError(action: action, code: EISDIR)
            default:
                // A FIFO or a device can be read once, and its length is unknown.
                return try InputChunks(opening: path).body(contentType: contentType)
            }
        }
    }

    fileprivate mutating func readStandardInput() throws(SystemError) {
        if self == .standardInput { self = .content(try read()) }
    }
}

extension Data {
    /// These bytes as a value of a form: all but the unreserved characters percent-encoded, and spaces as `+`.
    fileprivate var formEncoded: Data {
        var encoded = Data()
        for byte in self {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.append(byte)
            case UInt8(ascii: " "):
                encoded.append(UInt8(ascii: "+"))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded.append(contentsOf: (byte < 16 ? "%0\(digits)" : "%\(digits)").utf8)
            }
        }
        return encoded
    }
}

extension String {
    /// The last component of this path.
    var lastPathComponent: String {
        utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? self
    }

    /// The media type that the extension of this filename suggests; the same as curl's.
    fileprivate var guessedContentType: String? {
        guard let dot = lastIndex(of: ".") else { return nil }
        return switch self[index(after: dot)...].lowercased() {
        case "gif": "image/gif"
        case "jpg", "jpeg": "image/jpeg"
        case "png": "image/png"
        case "svg": "image/svg+xml"
        case "txt": "text/plain"
        case "htm", "html": "text/html"
        case "pdf": "application/pdf"
        case "xml": "application/xml"
        default: nil
        }
    }
}
