/// What is particular to an operator that makes one value out of many: how values are taken in, and what comes of them.
///
/// What all such operators have in common is in ``ReducingSubscriber``. A reduction belongs to the upstream's serial
/// signals.
@usableFromInline
protocol Reduction<Input, Output, Thrown> {
    associatedtype Input
    associatedtype Output

    /// What taking a value in may throw: `Never`, any error, or the upstream's type of failure.
    associatedtype Thrown: Error

    /// Takes a value in.
    ///
    /// - Returns: The result, if it is certain already, whatever comes after. That ends the stream.
    func take(_ input: Input) throws(Thrown) -> Output?

    /// The result when there are no more values, if there is any. Asked for once.
    func conclude() -> Output?
}
