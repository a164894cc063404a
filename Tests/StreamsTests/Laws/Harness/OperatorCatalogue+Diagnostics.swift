import Streams

extension OperatorCase {
    /// The operators that observe a stream and leave it unchanged.
    static let diagnostics: [OperatorCase] = [
        OperatorCase("checkpoint(_:fileID:line:)") { upstream, _ in upstream.checkpoint("laws").eraseToAnyPublisher() },
        OperatorCase("labelError(_:fileID:line:)") { upstream, context in
            upstream.labelError("laws").mapError { context.passing($0.underlying) }.eraseToAnyPublisher()
        },
    ]
}
