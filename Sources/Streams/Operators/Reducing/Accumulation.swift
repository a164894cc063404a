/// Combines the values one after another into a result.
@usableFromInline
struct Accumulation<Input, Output, Thrown: Error>: Reduction {
    @usableFromInline let combine: (Output, Input) throws(Thrown) -> Output
    @usableFromInline let result: SerialCell<Output>

    @inlinable
    init(_ initial: Output, _ combine: @escaping (Output, Input) throws(Thrown) -> Output) {
        self.combine = combine
        result = SerialCell(initial)
    }

    @inlinable
    func take(_ input: Input) throws(Thrown) -> Output? {
        _ = try advance(input)
        return nil
    }

    /// - Returns: The new result.
    @inlinable
    func advance(_ input: Input) throws(Thrown) -> Output {
        let next = try combine(result.value, input)
        result.value = next
        return next
    }

    @inlinable
    func conclude() -> Output? {
        result.value
    }
}
