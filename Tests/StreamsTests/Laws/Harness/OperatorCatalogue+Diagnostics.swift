import Streams

extension OperatorCase {
    /// Operators that watch a stream and change nothing.
    static let diagnostics: [OperatorCase] = [
        OperatorCase("checkpoint(_:fileID:line:)") { upstream, _ in upstream.checkpoint("laws").eraseToAnyPublisher() },
        OperatorCase("labelError(_:fileID:line:)") { upstream, bench in
            upstream.labelError("laws").mapError { bench.passing($0.underlying) }.eraseToAnyPublisher()
        },
    ]
}
