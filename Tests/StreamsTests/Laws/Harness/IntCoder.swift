import Streams

/// Encodes numbers as themselves.
struct IntCoder: TopLevelEncoder, TopLevelDecoder {
    let bench: Bench

    func encode<T: Encodable>(_ value: T) throws -> Int {
        try number(value)
    }

    func decode<T: Decodable>(_ type: T.Type, from input: Int) throws -> T {
        try number(input)
    }

    private func number<Number>(_ value: Any) throws -> Number {
        guard let number = bench.passing(value) as? Number else { throw LawError.other }
        return number
    }
}
