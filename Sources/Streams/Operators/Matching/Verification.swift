/// Looks for a value that does not fulfil a condition.
@usableFromInline
struct Verification<Input, Thrown: Error>: Reduction {
    @usableFromInline let isFulfilled: (Input) throws(Thrown) -> Bool

    @inlinable
    init(_ isFulfilled: @escaping (Input) throws(Thrown) -> Bool) {
        self.isFulfilled = isFulfilled
    }

    @inlinable
    func take(_ input: Input) throws(Thrown) -> Bool? {
        try isFulfilled(input) ? nil : false
    }

    @inlinable
    func conclude() -> Bool? {
        true
    }
}
