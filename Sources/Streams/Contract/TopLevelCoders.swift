/// An encoder of values into data of one format, such as JSON.
public protocol TopLevelEncoder<Output> {
    /// The type of the encoded data.
    associatedtype Output

    /// Encodes a value.
    func encode<T: Encodable>(_ value: T) throws -> Self.Output
}

/// A decoder of values from data of one format, such as JSON.
public protocol TopLevelDecoder<Input> {
    /// The type of the encoded data.
    associatedtype Input

    /// Decodes a value.
    func decode<T: Decodable>(_ type: T.Type, from: Self.Input) throws -> T
}
