extension HTTPResponse<Data> {
    /// Returns the body as a value: a `String` is the body's ``text()``, `Data` is the body itself, and any other value
    /// is decoded.
    ///
    /// A client decodes the response to an ``Endpoint`` itself. This is for the response to an ``HTTPRequest``, for
    /// interceptors, and for ``Endpoint/decode(_:using:)``.
    ///
    /// - Throws: The error of the decoder, or that of ``text()``.
    public func decoded<Value: Decodable>(
        as type: Value.Type, decoder: any DataDecoder = JSONDecoder()
    ) throws -> Value {
        // Types are compared first, because casts are slow.
        if Value.self == Data.self || Value.self == Data?.self, let data = body as? Value { return data }
        if Value.self == String.self, let text = try text() as? Value { return text }
        return try decoder.decode(Value.self, from: body)
    }
}
