/// An error with the place in the program at which its stream was labelled.
public struct LabeledError<Underlying: Error>: Error {
    /// The call site.
    public let callSite: CallSite

    /// The error itself.
    public let underlying: Underlying

    /// Creates an error with a call site. ``Publisher/labelError(_:fileID:line:)`` does so for the errors of a stream.
    public init(_ underlying: Underlying, at callSite: CallSite) {
        self.callSite = callSite
        self.underlying = underlying
    }
}

extension LabeledError: Equatable where Underlying: Equatable {}
extension LabeledError: Hashable where Underlying: Hashable {}

extension LabeledError: CustomStringConvertible {
    /// The call site and the error: `orders (Shop/Orders.swift:42): connection reset`. The outermost label comes first.
    public var description: String { "\(callSite): \(underlying)" }
}

extension Publisher {
    /// Makes the stream observed as ``checkpoint(_:fileID:line:)`` does, and adds the label to its errors.
    ///
    /// ```
    /// ──1──2──✕ E
    ///   labelError("orders")
    /// ──1──2──✕ orders (Shop/Orders.swift:42): E
    /// ```
    ///
    /// The error itself is in ``LabeledError/underlying``, with its type. Demand, completion, cancellation and threads are those
    /// of ``checkpoint(_:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - label: The name of the stream. Use a fixed set of labels: each makes a row for the life of the process.
    ///   - fileID: The file of the call.
    ///   - line: The line of the call.
    public func labelError(
        _ label: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Publishers.MapError<Operators.Checkpoint<Self>, LabeledError<Failure>> {
        let checkpoint = checkpoint(label, fileID: fileID, line: line)
        let callSite = checkpoint.callSite
        return checkpoint.mapError { LabeledError($0, at: callSite) }
    }
}
