/// What came is not what was drawn.
public struct MarblesMismatch: Error, Hashable, Sendable {
    /// What was drawn.
    public let expected: Marbles
    /// What came.
    public let actual: Marbles

    /// What the diagrams cannot show: values that no character stands for, and another error than the one expected.
    public let remarks: [String]
}

extension MarblesMismatch: CustomStringConvertible {
    /// Both lines, one below the other, each frame as wide in one as in the other, and arrows below the frames that
    /// differ.
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

    /// Without spaces at the end.
    fileprivate var trimmed: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
