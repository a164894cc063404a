/// A multipart form (`multipart/form-data`, RFC 7578).
///
/// ```swift
/// let form: MultipartForm = [
///     .text("title", "Summer"),
///     .file("photo", path: "/srv/photos/1.jpg", contentType: "image/jpeg"),
/// ]
/// let request = try HTTPRequest(.post, "/albums").settingBody(.multipart(form))
/// ```
///
/// Files are read while they are sent, in constant memory. The form's length is known before it is sent if the lengths
/// of its parts are. Names are written as the WHATWG's HTML standard specifies: in UTF-8, with `"` and line breaks as
/// `%22`, `%0D` and `%0A`. The content of a part is sent unchanged.
public struct MultipartForm: Sendable {
    /// The parts, in order. Names may repeat.
    public var parts: [Part]

    /// Creates a form of parts.
    public init(_ parts: [Part] = []) {
        self.parts = parts
    }

    /// Creates a form of a value's fields. Nested fields are named `part[field]`, elements of arrays `part[0]`.
    ///
    /// - Throws: The error of the encoder.
    public init(
        encoding value: some Encodable, encoder: QueryEncoder = QueryEncoder(arrays: .indices)
    ) throws {
        parts = try encoder.encode(value).map { .text($0.name, $0.value ?? "") }
    }

    /// Appends a part.
    public mutating func append(_ part: Part) {
        parts.append(part)
    }

    /// Appends the parts of another form.
    public mutating func append(contentsOf other: MultipartForm) {
        parts.append(contentsOf: other.parts)
    }
}

extension MultipartForm: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: Part...) {
        self.init(elements)
    }
}

extension MultipartForm {
    /// A part of a form.
    public struct Part: Sendable {
        /// The name of the form's field.
        public var name: String
        /// The filename that is sent with the content.
        public var filename: String?
        /// The header fields besides `Content-Disposition`. A `Content-Type` replaces the body's.
        public var headers: HTTPHeaders
        /// The part's content.
        public var body: HTTPBody

        /// Creates a part from any body. If the body's length is unknown, so is the form's. If the body is one-shot, so
        /// is the form.
        public init(_ name: String, _ body: HTTPBody, filename: String? = nil, headers: HTTPHeaders = [:]) {
            self.name = name
            self.filename = filename
            self.headers = headers
            self.body = body
        }

        /// Returns a part with text in UTF-8 and without a `Content-Type`.
        public static func text(_ name: String, _ text: String) -> Part {
            Part(name, .data(Data(text.utf8), contentType: nil))
        }

        /// Returns a part with data in memory.
        public static func data(
            _ name: String, _ data: Data, filename: String? = nil, contentType: String? = "application/octet-stream"
        ) -> Part {
            Part(name, .data(data, contentType: contentType), filename: filename)
        }

        /// Returns a part with a value as JSON, encoded by the ``CoderRegistry/encoder`` of the client that sends the
        /// form; see ``HTTPBody/json(_:)``.
        public static func json(_ name: String, _ value: some Encodable & Sendable) -> Part {
            Part(name, .json(value))
        }

        /// Returns a part with a value that an encoder of its own encodes as JSON.
        ///
        /// - Throws: The error of the encoder.
        public static func json(_ name: String, _ value: some Encodable, encoder: any DataEncoder) throws -> Part {
            Part(name, try .json(value, encoder: encoder))
        }

        /// Returns a part with a regular file, which is read while it is sent.
        ///
        /// - Parameters:
        ///   - name: The part's name.
        ///   - path: The path of the file.
        ///   - filename: The filename to send; the last component of the path by default.
        ///   - contentType: The media type of the file.
        public static func file(
            _ name: String, path: String, filename: String? = nil, contentType: String? = "application/octet-stream"
        ) -> Part {
            let lastComponent = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
            return Part(name, .file(path, contentType: contentType), filename: filename ?? lastComponent)
        }
    }
}

extension MultipartForm {
    /// An error that prevents a form from being sent.
    public enum Failure: Error, Hashable, Sendable {
        /// The boundary is invalid: empty, longer than 70 characters, ending in a space, or with a character that is
        /// not allowed (RFC 2046, section 5.1.1).
        case boundary(String)
        /// The boundary occurs in a part.
        case boundaryInContent(String)
        /// A header field of a part is invalid: its name is not a token, its value has a line break or another control
        /// character, or it is `Content-Disposition`, which the form sets itself.
        case header(name: String)
    }
}

extension MultipartForm.Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .boundary(let boundary): "\(boundary.debugDescription) is no boundary"
        case .boundaryInContent(let boundary): "the boundary \(boundary.debugDescription) occurs in the form's content"
        case .header(let name): "the header \(name.debugDescription) is not allowed in a part"
        }
    }
}
