/// A wrapper that carries a value into a closure that may run on another thread.
struct UncheckedTransfer<Value>: @unchecked Sendable {
    // Safe because publishers may be subscribed to, and subscriptions used, from any thread by contract (rule 4).
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
