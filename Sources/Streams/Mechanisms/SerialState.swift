/// The mutable state of an operator's subscriber, which itself is a struct of constants: the last result of `scan`, the
/// last value of `removeDuplicates`, the values that `collect` has received so far.
///
/// The state belongs to the upstream's serial signals, so it needs no lock. Only the subscriber and its
/// closures reference it. So it is released when the stream ends, even if the subscription is kept (rule 6).
@usableFromInline
final class SerialState<Value> {
    @exclusivity(unchecked) @usableFromInline var value: Value

    @inlinable
    init(_ value: Value) {
        self.value = value
    }
}
