/// Leaves out what amounts to the same as the value before.
@usableFromInline
struct Distinction<Input, Thrown: Error>: Gate {
    @usableFromInline let isSame: (Input, Input) throws(Thrown) -> Bool
    @usableFromInline let last = SerialCell<Input?>(nil)

    @inlinable
    init(_ isSame: @escaping (Input, Input) throws(Thrown) -> Bool) {
        self.isSame = isSame
    }

    @inlinable
    func judge(_ input: Input) throws(Thrown) -> Verdict<Input> {
        let previous = last.value
        last.value = input
        if let previous, try isSame(previous, input) { return .skip }
        return .pass(input)
    }
}
