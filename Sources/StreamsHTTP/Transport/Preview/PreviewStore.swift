/// A store of responses for previews, by name.
///
/// The name of a request's preview is its ``RequestOptions/previewName``. Without one, the client searches for the
/// request's URL without the scheme, and then for shorter forms of it: it drops the last parameters of the query one
/// after the other, and then the last segments of the path. For `https://api.example.com/3/movies?page=2` the names are
///
/// ```
/// api.example.com/3/movies?page=2
/// api.example.com/3/movies
/// api.example.com/3
/// api.example.com
/// ```
///
/// A store is a directory, a dictionary or a closure:
///
/// ```swift
/// let files = PreviewStore.directory("Previews")
/// let memory = PreviewStore(["api.example.com/3/movies": try .json(movies)])
/// let both = PreviewStore { try memory.asset(named: $0) ?? files.asset(named: $0) }
/// ```
public struct PreviewStore: Sendable {
    /// A response for a preview.
    public struct Asset: Sendable {
        /// The status. An error status fails the request.
        public var status: HTTPStatus
        /// The headers.
        public var headers: HTTPHeaders
        /// The body.
        public var data: Data

        /// Creates a response.
        public init(_ data: Data, contentType: String? = nil, status: HTTPStatus = .ok) {
            self.data = data
            self.status = status
            headers = ["Content-Length": "\(data.count)"]
            if let contentType { headers.add("Content-Type", contentType) }
        }

        /// Creates a response of a value as JSON.
        ///
        /// - Throws: The error of the encoder.
        public static func json(
            _ value: some Encodable, status: HTTPStatus = .ok, encoder: JSONEncoder = JSONEncoder()
        ) throws -> Asset {
            Asset(try encoder.encode(value), contentType: "application/json", status: status)
        }
    }

    private let find: @Sendable (String) throws -> Asset?

    /// Creates a store that calls a closure.
    ///
    /// - Parameter find: Returns the asset with a name, or `nil`. Called on threads of the system, which it may block,
    ///   for several requests at the same time. An error that it throws fails the request with
    ///   ``HTTPError/Reason/thrown(_:by:)``.
    public init(_ find: @escaping @Sendable (_ name: String) throws -> Asset?) {
        self.find = find
    }

    /// Creates a store that holds its assets in memory.
    ///
    /// - Parameter assets: The assets, by name.
    public init(_ assets: [String: Asset]) {
        self.init { assets[$0] }
    }

    /// Returns the asset with this name; `nil` if there is none.
    ///
    /// - Throws: The error of the closure, or of the file system.
    public func asset(named name: String) throws -> Asset? {
        try find(name)
    }
}

extension PreviewStore {
    /// The error of a request that a ``PreviewStore`` has no asset for.
    public struct MissingAsset: Error, Hashable, CustomStringConvertible {
        /// The names that the store has no asset for, in search order, without secrets.
        public let names: [String]

        public var description: String { "no preview is named \(names.joined(separator: ", nor "))" }
    }
}

extension PreviewStore.MissingAsset: RedactableError {
    package func redacted(by redaction: Redaction) -> PreviewStore.MissingAsset {
        PreviewStore.MissingAsset(names: names.map { redaction.redactingParameters(in: $0) })
    }
}

extension PreviewStore {
    /// The source of a previewing client's responses.
    public enum Mode: Sendable {
        /// ``success`` inside an Xcode preview, ``disabled`` everywhere else.
        case automatic
        /// Answers every request with an asset of the store. A request without an asset fails with
        /// ``PreviewStore/MissingAsset``.
        case success
        /// Answers no request. Only the total timeout ends it.
        case loading
        /// Every request fails.
        ///
        /// Requests fail with the reason of an ``HTTPError``, or with this reason. An ``HTTPStatus`` is the status of
        /// an empty response. For any other error, the reason is ``HTTPError/Reason/thrown(_:by:)`` by the transport.
        case failure(any Error = HTTPError.Reason.connection(.refused))
        /// Passes requests to the client's own transport.
        case disabled

        /// Whether the process runs an Xcode preview.
        static var isInPreview: Bool {
            getenv("XCODE_RUNNING_FOR_PREVIEWS").map { String(cString: $0) == "1" } ?? false
        }

        /// Returns the events of ``failure(_:)``.
        static func events(failingWith error: any Error, url: URL) -> [TransportEvent] {
            switch error {
            case let error as HTTPError: [.failed(TransportFailure(error.reason, underlying: error.underlying))]
            case let reason as HTTPError.Reason: [.failed(TransportFailure(reason))]
            case let failure as TransportFailure: [.failed(failure)]
            case let status as HTTPStatus:
                [.head(HTTPResponse(status: status, headers: ["Content-Length": "0"], body: (), url: url)), .finished]
            default:
                [.failed(TransportFailure(.thrown(error, by: .transport)))]
            }
        }
    }
}
