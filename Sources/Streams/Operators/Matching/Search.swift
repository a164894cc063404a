/// Looks for a value that fulfils a condition.
@usableFromInline
struct Search<Input, Thrown: Error>: Reduction {
    @usableFromInline let isFound: (Input) throws(Thrown) -> Bool

    @inlinable
    init(isFound: @escaping (Input) throws(Thrown) -> Bool) {
        self.isFound = isFound
    }

    @inlinable
    func take(_ input: Input) throws(Thrown) -> Bool? {
        try isFound(input) ? true : nil
    }

    @inlinable
    func conclude() -> Bool? {
        false
    }
}
