/// Decodes what stands under a key, in an envelope or in envelopes within each other.
///
/// ```swift
/// // {"message": "fine", "data": {"value": "test"}}
/// let echo = try JSONDecoder().unwrapping("data").decode(Echo.self, from: body)
/// ```
///
/// The envelope is opened while it is decoded; nothing is decoded or encoded twice. In a request the status is
/// validated first, then the envelope is opened, then its content decoded.
public struct UnwrappingDecoder<Base: DataDecoder>: DataDecoder {
    private let base: Base
    private let keys: [String]

    fileprivate init(base: Base, keys: [String]) {
        self.base = base
        self.keys = keys
    }

    /// - Throws: `DecodingError.keyNotFound` where there is no envelope, and what the decoder throws.
    public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        // A decoder has no room for the keys, so the envelope finds them here.
        try EnvelopeKeys.$current.withValue(keys[...]) {
            try base.decode(Envelope<Value>.self, from: data).value
        }
    }
}

extension DataDecoder {
    /// A decoder of what stands under keys, each within what stands under the one before.
    ///
    /// - Parameter keys: The keys as this decoder makes them: where it converts snake case, `userData` is what stands
    ///   under `user_data`.
    public func unwrapping(_ keys: String...) -> UnwrappingDecoder<Self> {
        UnwrappingDecoder(base: self, keys: keys)
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
