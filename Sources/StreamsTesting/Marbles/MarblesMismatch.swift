/// An error that shows an expected and an actual diagram.
public struct MarblesMismatch: Error, Hashable, Sendable {
    /// The expected diagram.
    public let expected: Marbles
    /// The actual diagram.
    public let actual: Marbles

    /// The differences that the diagrams cannot show: values without a character, and an unexpected error.
    public let remarks: [String]
}

extension MarblesMismatch: CustomStringConvertible {
    /// Both diagrams, aligned frame by frame, with arrows below the frames that differ.
    ///
    /// ```
    /// expected: --a---b|
    /// actual:   --a-b---
    ///               ↑ ↑↑
    /// ```
    public var description: String {
        let frames = 0..<max(expected.frameCount, actual.frameCount)
        var lines = (expected: "", actual: "", arrows: "")
        for frame in frames {
            let cells = (expected: expected.cell(frame), actual: actual.cell(frame))
            let width = max(cells.expected.count, cells.actual.count)
            lines.expected += cells.expected.padded(to: width)
            lines.actual += cells.actual.padded(to: width)
            lines.arrows += (cells.expected == cells.actual ? " " : "↑").padded(to: width)
        }
        let diagrams = ["expected: \(lines.expected)", "actual:   \(lines.actual)", "          \(lines.arrows)"]
        return (diagrams.map(\.trimmed).filter { !$0.isEmpty } + remarks).joined(separator: "\n")
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: width - count)
    }

    /// The string without trailing spaces.
    fileprivate var trimmed: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
