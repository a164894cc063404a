import Foundation

/// The bytes of an input, taken apart from the front.
struct Input {
    /// The byte that ends a field. UTF-8 does not have it, so that texts stay readable in the corpus.
    static let separator: UInt8 = 0xFE

    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) {
        rest = Array(bytes)[...]
    }

    var isEmpty: Bool { rest.isEmpty }

    /// Removes a byte, zero at the end.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// Removes the bytes before the next separator, and the separator.
    mutating func field() -> [UInt8] {
        let field = Array(rest.prefix { $0 != Self.separator })
        rest = rest.dropFirst(field.count + 1)
        return field
    }

    /// Removes a field of UTF-8. Invalid bytes become replacement characters.
    mutating func text() -> String { String(decoding: field(), as: UTF8.self) }

    /// Removes all bytes that are left.
    mutating func remainder() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }
}

/// Stops the program unless a property holds. libFuzzer then keeps the input.
func expect(_ holds: Bool, _ message: @autoclosure () -> String, line: UInt = #line, file: StaticString = #fileID) {
    guard !holds else { return }
    FileHandle.standardError.write(Data("\(file):\(line): \(message())\n".utf8))
    abort()
}

/// Stops the program unless two values are equal.
func expectEqual<Value: Equatable>(
    _ left: Value, _ right: Value, _ message: @autoclosure () -> String, line: UInt = #line,
    file: StaticString = #fileID
) {
    expect(
        left == right, "\(message()):\n  \(String(reflecting: left))\n  \(String(reflecting: right))", line: line,
        file: file)
}
