/// Opens at the first value that does not fulfil a condition, and stays open.
@usableFromInline
struct Threshold<Input, Thrown: Error>: Gate {
    @usableFromInline let isBelow: (Input) throws(Thrown) -> Bool
    @usableFromInline let isOpen = SerialCell(false)

    @inlinable
    init(_ isBelow: @escaping (Input) throws(Thrown) -> Bool) {
        self.isBelow = isBelow
    }

    @inlinable
    func judge(_ input: Input) throws(Thrown) -> Verdict<Input> {
        if isOpen.value { return .pass(input) }
        if try isBelow(input) { return .skip }
        isOpen.value = true
        return .pass(input)
    }
}
