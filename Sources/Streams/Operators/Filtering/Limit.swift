/// Closes at the first value that does not fulfil a condition.
@usableFromInline
struct Limit<Input, Thrown: Error>: Gate {
    @usableFromInline let isWithin: (Input) throws(Thrown) -> Bool

    @inlinable
    init(_ isWithin: @escaping (Input) throws(Thrown) -> Bool) {
        self.isWithin = isWithin
    }

    @inlinable
    func judge(_ input: Input) throws(Thrown) -> Verdict<Input> {
        try isWithin(input) ? .pass(input) : .finish
    }
}
