import Streams

/// A coder that returns numbers unchanged.
struct IntCoder: TopLevelEncoder, TopLevelDecoder {
    let context: LawContext

    func encode<T: Encodable>(_ value: T) throws -> Int {
        try number(value)
    }

    func decode<T: Decodable>(_ type: T.Type, from input: Int) throws -> T {
        try number(input)
    }

    private func number<Number>(_ value: Any) throws -> Number {
        guard let number = context.passing(value) as? Number else { throw LawError.other }
        return number
    }
}
