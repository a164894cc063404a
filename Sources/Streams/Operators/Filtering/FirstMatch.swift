/// Looks for the first value that fulfils a condition.
@usableFromInline
struct FirstMatch<Input, Thrown: Error>: Reduction {
    @usableFromInline let isMatch: (Input) throws(Thrown) -> Bool

    @inlinable
    init(_ isMatch: @escaping (Input) throws(Thrown) -> Bool) {
        self.isMatch = isMatch
    }

    @inlinable
    func take(_ input: Input) throws(Thrown) -> Input? {
        try isMatch(input) ? input : nil
    }

    @inlinable
    func conclude() -> Input? {
        nil
    }
}
