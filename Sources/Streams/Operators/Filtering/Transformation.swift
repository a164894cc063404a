/// Passes on what values are transformed into, where that is something.
@usableFromInline
struct Transformation<Input, Output, Thrown: Error>: Gate {
    @usableFromInline let transform: (Input) throws(Thrown) -> Output?

    @inlinable
    init(_ transform: @escaping (Input) throws(Thrown) -> Output?) {
        self.transform = transform
    }

    @inlinable
    func judge(_ input: Input) throws(Thrown) -> Verdict<Output> {
        guard let output = try transform(input) else { return .skip }
        return .pass(output)
    }
}
