/// Where in a program a stream is watched: a place in its source, and a label.
public struct CallSite: Hashable, Sendable {
    /// What the program calls the stream there, if anything.
    public let label: String?

    /// Module and file, as `#fileID` gives them.
    public let fileID: String

    /// The line of the file, from 1, as `#line` gives it.
    public let line: UInt

    @usableFromInline
    init(label: String?, fileID: StaticString, line: UInt) {
        self.label = label
        self.fileID = fileID.description
        self.line = line
    }
}

extension CallSite: CustomStringConvertible {
    /// The label, where there is one, and the place: `orders (Shop/Orders.swift:42)`.
    public var description: String {
        label.map { "\($0) (\(fileID):\(line))" } ?? "\(fileID):\(line)"
    }
}

extension CallSite: Comparable {
    /// By file, then by line, then by label.
    public static func < (lhs: CallSite, rhs: CallSite) -> Bool {
        (lhs.fileID, lhs.line, lhs.label ?? "") < (rhs.fileID, rhs.line, rhs.label ?? "")
    }
}
