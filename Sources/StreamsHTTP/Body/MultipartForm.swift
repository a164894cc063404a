/// A form in parts (`multipart/form-data`, RFC 7578).
///
/// ```swift
/// let form: MultipartForm = [
///     .text("title", "Summer"),
///     .file("photo", path: "/srv/photos/1.jpg", contentType: "image/jpeg"),
/// ]
/// let request = try HTTPRequest(.post, "/albums").settingMultipartBody(form)
/// ```
///
/// Files are read while they are sent, in constant memory, and the form's length is known before it is sent where
/// its parts' are. Names are written as the WHATWG's HTML standard says: in UTF-8, with `"` and line breaks as `%22`,
/// `%0D` and `%0A`. A part's content is sent as it is.
public struct MultipartForm: Sendable {
    /// What the form consists of, in order; names may repeat.
    public var parts: [Part]

    /// Makes a form of parts.
    public init(_ parts: [Part] = []) {
        self.parts = parts
    }

    /// Makes a form of a value's fields, those of its parts being named `part[field]` and `part[0]`.
    ///
    /// - Throws: What the encoder throws.
    public init(
        encoding value: some Encodable, encoder: QueryEncoder = QueryEncoder(arrays: .indices)
    ) throws {
        parts = try encoder.encode(value).map { .text($0.name, $0.value ?? "") }
    }

    /// Adds a part.
    public mutating func append(_ part: Part) {
        parts.append(part)
    }

    /// Adds the parts of another form.
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
    /// One part of a form.
    public struct Part: Sendable {
        /// What the part is.
        public var name: String
        /// The name that the content is said to have as a file.
        public var filename: String?
        /// Fields besides `Content-Disposition`; a `Content-Type` among them wins over the body's.
        public var headers: HTTPHeaders
        /// The part's content.
        public var body: HTTPBody

        /// Makes a part of a body of any kind. One whose length is not known makes the form's unknown, and one that is
        /// sent once makes the form be sent once.
        public init(_ name: String, _ body: HTTPBody, filename: String? = nil, headers: HTTPHeaders = [:]) {
            self.name = name
            self.filename = filename
            self.headers = headers
            self.body = body
        }

        /// A text in UTF-8, without a `Content-Type` of its own.
        public static func text(_ name: String, _ text: String) -> Part {
            Part(name, .data(Data(text.utf8), contentType: nil))
        }

        /// Data in memory.
        public static func data(
            _ name: String, _ data: Data, filename: String? = nil, contentType: String? = "application/octet-stream"
        ) -> Part {
            Part(name, .data(data, contentType: contentType), filename: filename)
        }

        /// A value as JSON.
        ///
        /// - Throws: What the encoder throws.
        public static func json(
            _ name: String, _ value: some Encodable, encoder: JSONEncoder = JSONEncoder()
        ) throws -> Part {
            Part(name, try .json(value, encoder: encoder))
        }

        /// A regular file, read while it is sent.
        ///
        /// - Parameters:
        ///   - name: The part's name.
        ///   - path: Where the file is.
        ///   - filename: The name to send; the last component of the path by default.
        ///   - contentType: What the file is.
        public static func file(
            _ name: String, path: String, filename: String? = nil, contentType: String? = "application/octet-stream"
        ) -> Part {
            let lastComponent = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
            return Part(name, .file(path, contentType: contentType), filename: filename ?? lastComponent)
        }
    }
}

/// A form in parts that cannot be sent.
public enum MultipartError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The boundary has a character that is not allowed, none, or too many (RFC 2046, section 5.1.1).
    case boundary(String)
    /// The boundary occurs in a part.
    case boundaryInContent(String)
    /// A part's field has a name that is no token, or a value with a line break or another control character, or is the
    /// form's to say.
    case header(name: String)

    public var description: String {
        switch self {
        case .boundary(let boundary): "\(boundary.debugDescription) is no boundary"
        case .boundaryInContent(let boundary): "the boundary \(boundary.debugDescription) occurs in the form's content"
        case .header(let name): "the header \(name.debugDescription) is not allowed in a part"
        }
    }
}
