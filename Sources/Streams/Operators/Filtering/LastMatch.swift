/// Keeps the last value that fulfils a condition.
@usableFromInline
struct LastMatch<Input, Thrown: Error>: Reduction {
    @usableFromInline let isMatch: (Input) throws(Thrown) -> Bool
    @usableFromInline let match = SerialCell<Input?>(nil)

    @inlinable
    init(_ isMatch: @escaping (Input) throws(Thrown) -> Bool) {
        self.isMatch = isMatch
    }

    @inlinable
    func take(_ input: Input) throws(Thrown) -> Input? {
        if try isMatch(input) { match.value = input }
        return nil
    }

    @inlinable
    func conclude() -> Input? {
        match.value
    }
}
