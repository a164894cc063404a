/// A table of text for a terminal: its columns are aligned to the right, but for the last one.
package struct TextTable {
    private var rows: [[String]]

    /// Creates a table.
    ///
    /// - Parameter titles: The titles of the columns.
    package init(_ titles: [String]) {
        rows = [titles]
    }

    /// Appends a row.
    ///
    /// - Parameter cells: A cell for each column.
    package mutating func append(_ cells: [String]) {
        rows.append(cells)
    }
}

extension TextTable: CustomStringConvertible {
    package var description: String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { cells in
            let padded = zip(cells, widths).dropLast().map { cell, width in
                String(repeating: " ", count: width - cell.count) + cell
            }
            return (padded + cells.suffix(1)).joined(separator: "  ")
        }.joined(separator: "\n")
    }
}
