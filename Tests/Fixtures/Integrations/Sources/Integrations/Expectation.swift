/// The error of a check that fails.
struct Unexpected: Error, CustomStringConvertible {
    let description: String
}

/// Checks that two values are equal.
func expect<Value: Equatable>(_ value: Value, _ expected: Value, line: Int = #line, file: String = #fileID) throws {
    guard value == expected else { throw Unexpected(description: "\(file):\(line): \(value) is not \(expected)") }
}

/// Returns a value that has to be there.
func unwrap<Value>(_ value: Value?, line: Int = #line, file: String = #fileID) throws -> Value {
    guard let value else { throw Unexpected(description: "\(file):\(line): there is no value") }
    return value
}

/// Returns the error that an operation throws; `nil` if it throws none.
func failure(of operation: () async throws -> some Any) async -> (any Error)? {
    do {
        _ = try await operation()
        return nil
    } catch {
        return error
    }
}
