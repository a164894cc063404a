import StreamsHTTP

/// The part of a body that is requested.
enum RangeArguments {
    /// The ranges of `-r`, in bytes.
    case ranges(String)
    /// The rest after a number of bytes, by `-C`.
    case after(Int64)
    /// The rest after what the output has, by `-C -`.
    case afterOutput

    /// Reads the value of `-r`, such as `0-499`, `500-`, `-500` or `0-9,20-29`. As with curl, a number alone begins a
    /// range without an end.
    init(ranges: String) throws(UsageError) {
        let characters = "0123456789-,"
        guard ranges.contains(where: { $0 != "-" && $0 != "," }), ranges.allSatisfy({ characters.contains($0) }) else {
            throw UsageError("-r needs ranges of bytes, as in 0-499, and \(ranges.quoted) is none")
        }
        self = .ranges(ranges.contains("-") ? ranges : ranges + "-")
    }

    /// Reads the value of `-C`: a number of bytes, or `-`.
    init(continuingAt offset: String) throws(UsageError) {
        guard offset != "-" else {
            self = .afterOutput
            return
        }
        guard !offset.isEmpty, offset.utf8.allSatisfy(\.isDigit), let number = Int64(offset) else {
            throw UsageError("-C needs a number of bytes or -, and \(offset.quoted) is none")
        }
        self = .after(number)
    }

    /// Whether the rest of a body is requested.
    var isContinuation: Bool {
        if case .ranges = self { false } else { true }
    }
}
