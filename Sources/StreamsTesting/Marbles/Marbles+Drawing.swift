extension Marbles: CustomStringConvertible {
    /// The diagram, with marks of the same frame in a group, and with `^` if frame zero is not the first.
    public var description: String {
        let start = min(0, moments.first?.frame ?? 0)
        return (start..<max(frameCount, 0)).map { frame in
            start < 0 && frame == 0 ? cell(frame, before: "^") : cell(frame)
        }.joined()
    }

    /// Returns the text of a frame.
    func cell(_ frame: Int, before prefix: String = "") -> String {
        let marks = prefix + moments.filter { $0.frame == frame }.map { String($0.mark.character) }.joined()
        return marks.isEmpty ? "-" : marks.count == 1 ? marks : "(\(marks))"
    }
}

extension Marbles.Mark {
    var character: Character {
        switch self {
        case .value(let character): character
        case .finish: "|"
        case .failure: "#"
        case .cancellation: "!"
        }
    }
}
