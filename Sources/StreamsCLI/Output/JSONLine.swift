import StreamsHTTP

/// One JSON object on one line, with its members in the order they are added.
struct JSONLine {
    private var text = "{"

    init() {}

    /// Creates the line of an event.
    init(event: String) {
        add("event", event)
    }

    mutating func add(_ name: String, _ value: String) {
        addName(name)
        text += Self.quote(value)
    }

    /// Adds content as `data`: a text, or else the type `binary` and base64. JSON has no octets.
    mutating func add(content: Data) {
        if let text = String(validating: content, as: UTF8.self) { add("data", text) } else { add(binary: content) }
    }

    /// Adds content that is no text as `data`.
    mutating func add(binary content: Data) {
        add("type", "binary")
        add("data", content.base64EncodedString())
    }

    /// Adds a number; `null` without one.
    mutating func add(_ name: String, _ value: Int64?) {
        addName(name)
        text += value.map { String($0) } ?? "null"
    }

    /// Adds a number that is written already.
    mutating func add(_ name: String, number: String) {
        addName(name)
        text += number
    }

    mutating func add(_ name: String, _ value: Bool) {
        addName(name)
        text += "\(value)"
    }

    /// Adds a time in seconds, to the millisecond.
    mutating func add(_ name: String, _ value: Duration) {
        addName(name)
        let milliseconds = Int64((min(value, .seconds(1e15)) / .milliseconds(1)).rounded())
        text += milliseconds % 1000 == 0 ? "\(milliseconds / 1000)" : "\(Double(milliseconds) / 1000)"
    }

    mutating func add(_ name: String, _ pairs: [(String, String)]) {
        addName(name)
        text += "[" + pairs.map { "[\(Self.quote($0)),\(Self.quote($1))]" }.joined(separator: ",") + "]"
    }

    mutating func add(_ failure: Failure) {
        add("kind", failure.kind)
        add("exit", Int64(failure.status.rawValue))
        add("message", failure.message)
    }

    /// The object, without the end of the line.
    var object: String { text + "}" }

    /// The line, with its end.
    var data: Data { Data((object + "\n").utf8) }

    private mutating func addName(_ name: String) {
        if text.utf8.count > 1 { text += "," }
        text += Self.quote(name) + ":"
    }

    /// Returns a string in the notation of JSON (RFC 8259, section 7). Control characters are escaped, because a
    /// terminal interprets them.
    static func quote(_ string: String) -> String {
        var quoted = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where scalar.needsEscaping:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
