import StreamsHTTP

/// One JSON object on one line, with its members in the order they are added.
struct JSONLine {
    private var text = "{"

    mutating func add(_ name: String, _ value: String) {
        addName(name)
        text += Self.quote(value)
    }

    /// Adds a number; `null` without one.
    mutating func add(_ name: String, _ value: Int64?) {
        addName(name)
        text += value.map { String($0) } ?? "null"
    }

    /// Adds a time in seconds, to the millisecond.
    mutating func add(_ name: String, _ value: Duration) {
        addName(name)
        let milliseconds = Int64((value / .milliseconds(1)).rounded())
        text += milliseconds % 1000 == 0 ? "\(milliseconds / 1000)" : "\(Double(milliseconds) / 1000)"
    }

    mutating func add(_ name: String, _ pairs: [(String, String)]) {
        addName(name)
        text += "[" + pairs.map { "[\(Self.quote($0)),\(Self.quote($1))]" }.joined(separator: ",") + "]"
    }

    /// The line, with its end.
    var data: Data { Data((text + "}\n").utf8) }

    private mutating func addName(_ name: String) {
        if text.utf8.count > 1 { text += "," }
        text += Self.quote(name) + ":"
    }

    /// A string as RFC 8259, section 7 has it.
    private static func quote(_ string: String) -> String {
        var quoted = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\u{0}"..."\u{F}": quoted += "\\u000" + String(scalar.value, radix: 16)
            case "\u{10}"..."\u{1F}": quoted += "\\u00" + String(scalar.value, radix: 16)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
