/// A decoder of values from data.
public protocol DataDecoder: Sendable {
    /// Decodes a value. May be called on any thread, and on several at once.
    ///
    /// - Throws: A decoding error. It fails the request with ``HTTPError/Reason/decoding(_:_:)``.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

/// An encoder of values into data.
public protocol DataEncoder: Sendable {
    /// Encodes a value. May be called on any thread, and on several at once.
    ///
    /// - Throws: An encoding error.
    func encode(_ value: some Encodable) throws -> Data
}

extension JSONDecoder: DataDecoder {}
extension JSONEncoder: DataEncoder {}
extension PropertyListDecoder: DataDecoder {}
extension PropertyListEncoder: DataEncoder {}
