/// The error of a check that fails.
struct Unexpected: Error, CustomStringConvertible {
    let description: String
}

/// Checks that two values are equal.
func expect<Value: Equatable>(_ value: Value, _ expected: Value, line: Int = #line, file: String = #fileID) throws {
    guard value == expected else { throw Unexpected(description: "\(file):\(line): \(value) is not \(expected)") }
}
