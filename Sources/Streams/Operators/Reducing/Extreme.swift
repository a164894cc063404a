/// Keeps a value until one comes that is ordered after it.
@usableFromInline
struct Extreme<Input, Thrown: Error>: Reduction {
    @usableFromInline let areInIncreasingOrder: (Input, Input) throws(Thrown) -> Bool
    @usableFromInline let extreme = SerialCell<Input?>(nil)

    @inlinable
    init(_ areInIncreasingOrder: @escaping (Input, Input) throws(Thrown) -> Bool) {
        self.areInIncreasingOrder = areInIncreasingOrder
    }

    @inlinable
    func take(_ input: Input) throws(Thrown) -> Input? {
        if let extreme = extreme.value, try !areInIncreasingOrder(extreme, input) { return nil }
        extreme.value = input
        return nil
    }

    @inlinable
    func conclude() -> Input? {
        extreme.value
    }
}
