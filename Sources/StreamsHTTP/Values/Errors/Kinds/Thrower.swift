extension HTTPError {
    /// The code outside of the client whose error is a ``Reason/thrown(_:by:)``.
    public struct Thrower: Hashable, Sendable {
        package enum Code: String, CaseIterable, Sendable {
            case encoder = "thrown.encoder"
            case body = "thrown.body"
            case interceptor = "thrown.interceptor"
            case transport = "thrown.transport"
            case file = "thrown.file"
        }

        package let code: Code

        package init(_ code: Code) {
            self.code = code
        }

        /// The stable name of the failure, such as `thrown.interceptor`.
        public var name: String { code.rawValue }
    }
}

extension HTTPError.Thrower {
    /// An endpoint, or the encoder of its query, header fields or parameters. Nothing was sent.
    public static let encoder = Self(.encoder)

    /// The source of the request's body, which could not be created or read.
    public static let body = Self(.body)

    /// An ``Interceptor``.
    public static let interceptor = Self(.interceptor)

    /// An ``HTTPTransport`` of the program, a test double or a preview.
    public static let transport = Self(.transport)

    /// The file of a download, which could not be created, read or written. The error is a ``FileError``.
    public static let file = Self(.file)
}

extension HTTPError.Thrower: CustomStringConvertible {
    /// A description of the failure without the error.
    public var description: String {
        switch code {
        case .encoder: "the request could not be encoded"
        case .body: "the request's body could not be sent"
        case .interceptor: "an interceptor failed"
        case .transport: "the transport failed"
        case .file: "the file could not be downloaded"
        }
    }
}
