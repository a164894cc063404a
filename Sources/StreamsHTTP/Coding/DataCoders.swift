/// Decodes values from data.
public protocol DataDecoder: Sendable {
    /// Decodes a value. Called on any thread, also by several at once.
    ///
    /// - Throws: What is wrong with the data; it fails a request with ``HTTPError/Reason/decoding(_:_:)``.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

/// Encodes values into data.
public protocol DataEncoder: Sendable {
    /// The media type of what it writes, sent as `Content-Type`.
    var contentType: String { get }

    /// Encodes a value. Called on any thread, also by several at once.
    ///
    /// - Throws: What is wrong with the value.
    func encode(_ value: some Encodable) throws -> Data
}

extension JSONDecoder: DataDecoder {}

extension JSONEncoder: DataEncoder {
    /// `application/json` (RFC 8259).
    public var contentType: String { "application/json" }
}

extension PropertyListDecoder: DataDecoder {}

extension PropertyListEncoder: DataEncoder {
    /// `application/x-plist`.
    public var contentType: String { "application/x-plist" }
}
