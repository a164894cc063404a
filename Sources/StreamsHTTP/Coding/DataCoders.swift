/// Decodes values from data.
public protocol DataDecoder: Sendable {
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

/// Encodes values into data.
public protocol DataEncoder: Sendable {
    /// The media type of what it writes, sent as `Content-Type`.
    var contentType: String { get }

    func encode(_ value: some Encodable) throws -> Data
}

extension JSONDecoder: DataDecoder {}

extension JSONEncoder: DataEncoder {
    public var contentType: String { "application/json" }
}

extension PropertyListDecoder: DataDecoder {}

extension PropertyListEncoder: DataEncoder {
    public var contentType: String { "application/x-plist" }
}
