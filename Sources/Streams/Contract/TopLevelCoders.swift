/// Turns a value into data of one kind, such as JSON text.
public protocol TopLevelEncoder {
    /// What values are encoded into.
    associatedtype Output

    /// Encodes a value.
    func encode<T: Encodable>(_ value: T) throws -> Self.Output
}

/// Turns data of one kind, such as JSON text, into a value.
public protocol TopLevelDecoder {
    /// What values are decoded from.
    associatedtype Input

    /// Decodes a value.
    func decode<T: Decodable>(_ type: T.Type, from: Self.Input) throws -> T
}
