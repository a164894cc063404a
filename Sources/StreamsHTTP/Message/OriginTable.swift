/// Values by origin (RFC 6454). Idle ones are removed whenever the table has doubled, so that it does not grow with the
/// number of origins that a client has ever used.
struct OriginTable<Value> {
    /// The number of origins up to which none is removed.
    private static var minimumThreshold: Int { 256 }

    private(set) var values: [String: Value] = [:]
    private var threshold = Self.minimumThreshold

    /// Changes the value of an origin, which is added if it is missing.
    ///
    /// - Parameters:
    ///   - origin: The origin.
    ///   - initial: The value of an origin that is added.
    ///   - isIdle: Returns whether a value may be removed.
    ///   - change: The change.
    mutating func update<Result>(
        _ origin: String, initial: @autoclosure () -> Value, removing isIdle: (Value) -> Bool,
        _ change: (inout Value) -> Result
    ) -> Result {
        if values.count >= threshold, values[origin] == nil {
            values = values.filter { !isIdle($0.value) }
            threshold = max(values.count * 2, Self.minimumThreshold)
        }
        return change(&values[origin, default: initial()])
    }
}
