import Streams

extension TopLevelDecoder where Self: Sendable, Input == Data {
    /// Returns a decoder of the value under nested keys, outermost first, such as the content of an envelope.
    ///
    /// ```swift
    /// // {"message": "fine", "data": {"value": "test"}}
    /// let echo = try JSONDecoder().unwrapping("data").decode(Echo.self, from: body)
    /// ```
    ///
    /// The envelope is unwrapped during decoding; nothing is decoded or encoded twice. It throws
    /// `DecodingError.keyNotFound` if a key is missing. ``HTTPClient/Configuration/envelope`` unwraps all values of a client.
    ///
    /// - Parameter keys: The keys after this decoder's conversion: `userData` for `user_data` if it converts snake
    ///   case.
    public func unwrapping(_ keys: String...) -> some DataDecoder {
        unwrapping(keys)
    }

    func unwrapping(_ keys: [String]) -> some DataDecoder {
        UnwrappingDecoder(base: self, keys: keys)
    }
}

/// A decoder of a value under one or more nested keys.
private struct UnwrappingDecoder<Base: DataDecoder>: DataDecoder {
    let base: Base
    let keys: [String]

    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        // `Decodable` has no parameter for the keys, so the envelope reads them from a task-local value.
        try EnvelopeKeys.$current.withValue(keys[...]) {
            try base.decode(Envelope<Value>.self, from: data).value
        }
    }
}

private enum EnvelopeKeys {
    @TaskLocal static var current: ArraySlice<String> = []
}

private struct Envelope<Value: Decodable>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws {
        var keys = EnvelopeKeys.current
        guard let last = keys.popLast() else {
            value = try Value(from: decoder)
            return
        }
        var container = try decoder.container(keyedBy: NameKey.self)
        for key in keys {
            container = try container.nestedContainer(keyedBy: NameKey.self, forKey: NameKey(stringValue: key))
        }
        value = try container.decode(Value.self, forKey: NameKey(stringValue: last))
    }
}
