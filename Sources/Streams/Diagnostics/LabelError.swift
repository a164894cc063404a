/// An error together with the place in the program whose stream it ended.
public struct LabeledError<Underlying: Error>: Error {
    /// Where the error passed.
    public let callSite: CallSite

    /// What went wrong.
    public let underlying: Underlying

    /// Puts a place on an error; ``Publisher/labelError(_:fileID:line:)`` does it to those of a stream.
    public init(_ underlying: Underlying, at callSite: CallSite) {
        self.callSite = callSite
        self.underlying = underlying
    }
}

extension LabeledError: Equatable where Underlying: Equatable {}
extension LabeledError: Hashable where Underlying: Hashable {}

extension LabeledError: CustomStringConvertible {
    /// The place and the error, `orders (Shop/Orders.swift:42): connection reset`. With several labels the outermost is
    /// first.
    public var description: String { "\(callSite): \(underlying)" }
}

extension Publisher {
    /// Watches the stream as ``checkpoint(_:fileID:line:)`` does, and puts the label on its errors.
    ///
    /// ```
    /// ──1──2──✕ E
    ///   labelError("orders")
    /// ──1──2──✕ orders (Shop/Orders.swift:42): E
    /// ```
    ///
    /// The type of failure says so: the error itself is in ``LabeledError/underlying``, with its type. Demand,
    /// cancellation and threads are as with a checkpoint.
    ///
    /// - Parameters:
    ///   - label: What to call the stream. One of a fixed set, as each label makes a row for the rest of the process's
    ///     life.
    ///   - fileID: Where this is written.
    ///   - line: Where this is written.
    public func labelError(
        _ label: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Publishers.MapError<Operators.Checkpoint<Self>, LabeledError<Failure>> {
        let checkpoint = checkpoint(label, fileID: fileID, line: line)
        let callSite = checkpoint.callSite
        return checkpoint.mapError { LabeledError($0, at: callSite) }
    }
}
