/// Has the responses that previews show, by name.
///
/// A request's preview is called as its ``RequestOptions/previewName`` says. Without one it is looked for under the
/// request's URL without the scheme, and then under ever shorter forms of it: without its query's last parameters, one
/// after the other, and without its path's last parts. For `https://api.example.com/3/movies?page=2` these are
///
/// ```
/// api.example.com/3/movies?page=2
/// api.example.com/3/movies
/// api.example.com/3
/// api.example.com
/// ```
public protocol PreviewStore: Sendable {
    /// The asset with this very name; `nil` where there is none. Called on a thread of the system's, and may take its
    /// time.
    ///
    /// - Throws: Why an asset that is there cannot be had. It fails the request with ``HTTPError/Reason/transport``.
    func asset(named name: String) throws -> PreviewAsset?
}

/// A response for a preview.
public struct PreviewAsset: Sendable {
    /// The status; one that is an error is told as such.
    public var status: HTTPStatus
    /// The fields of the head.
    public var headers: HTTPHeaders
    /// The body.
    public var data: Data

    /// - Parameters:
    ///   - data: The body.
    ///   - contentType: What it is, sent as `Content-Type`.
    ///   - status: The status; one that is an error is told as such.
    public init(_ data: Data, contentType: String? = nil, status: HTTPStatus = .ok) {
        self.data = data
        self.status = status
        headers = ["Content-Length": "\(data.count)"]
        if let contentType { headers.add("Content-Type", contentType) }
    }

    /// A value as JSON.
    ///
    /// - Throws: What the encoder throws.
    public static func json(
        _ value: some Encodable, status: HTTPStatus = .ok, encoder: JSONEncoder = JSONEncoder()
    ) throws -> PreviewAsset {
        PreviewAsset(try encoder.encode(value), contentType: "application/json", status: status)
    }
}

/// A store that has nothing, for modes that need no assets.
public struct EmptyPreviewStore: PreviewStore {
    /// A store that has nothing.
    public init() {}

    public func asset(named name: String) -> PreviewAsset? { nil }
}

/// A store that is a dictionary.
public struct InMemoryPreviewStore: PreviewStore {
    /// What it has, by name.
    public var assets: [String: PreviewAsset]

    /// - Parameter assets: What it has, by name.
    public init(_ assets: [String: PreviewAsset]) {
        self.assets = assets
    }

    public func asset(named name: String) -> PreviewAsset? { assets[name] }
}

/// A store that is a closure.
public struct ClosurePreviewStore: PreviewStore {
    private let find: @Sendable (String) throws -> PreviewAsset?

    /// - Parameter find: What has an asset of a name, or `nil`. Called on a thread of the system's, for several
    ///   requests at once.
    public init(_ find: @escaping @Sendable (String) throws -> PreviewAsset?) {
        self.find = find
    }

    public func asset(named name: String) throws -> PreviewAsset? { try find(name) }
}
