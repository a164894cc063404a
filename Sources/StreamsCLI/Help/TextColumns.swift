/// Texts in the width of the help, and tables of two columns.
enum TextColumns {
    static let width = 110
    /// The place of the second column.
    private static let column = 27

    /// Returns the lines of a text.
    static func lines(_ text: String, width: Int = width) -> [String] {
        var lines: [String] = []
        for word in text.split(whereSeparator: \.isWhitespace) {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] += " \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    /// Returns a row whose first column, if it is too long, has a line of its own.
    static func row(_ label: String, _ text: String) -> String {
        let indent = String(repeating: " ", count: column)
        let first = "  \(label)"
        let lines = lines(text, width: width - column)
        guard first.count < column, let start = lines.first else {
            return ([first] + lines.map { indent + $0 }).joined(separator: "\n")
        }
        return ([first.padding(to: column) + start] + lines.dropFirst().map { indent + $0 }).joined(separator: "\n")
    }
}

extension String {
    /// Returns the text with blanks at its end, so that it has a number of characters.
    func padding(to count: Int) -> String {
        self + String(repeating: " ", count: max(0, count - self.count))
    }
}
