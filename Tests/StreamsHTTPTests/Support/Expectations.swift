import StreamsHTTP
import Testing

/// The error that an operation fails with.
func failure<Value>(
    sourceLocation: SourceLocation = #_sourceLocation, _ operation: () async throws(HTTPError) -> Value
) async throws -> HTTPError {
    do {
        let value = try await operation()
        Issue.record("succeeded with \(value)", sourceLocation: sourceLocation)
        throw UnexpectedSuccess()
    } catch let error as HTTPError {
        return error
    }
}

struct UnexpectedSuccess: Error {}
