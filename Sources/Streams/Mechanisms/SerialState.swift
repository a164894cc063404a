/// What an operator remembers from one value to the next.
///
/// It belongs to the upstream's signals, which are serial, and only the subscriber half holds it. So it needs no lock,
/// and goes with the subscriber when the stream ends or is cancelled, even if somebody keeps the subscription.
@usableFromInline
final class SerialState<Value> {
    @exclusivity(unchecked) @usableFromInline var value: Value

    @inlinable
    init(_ value: Value) {
        self.value = value
    }
}
