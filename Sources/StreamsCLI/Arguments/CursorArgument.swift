import StreamsHTTP

/// The position in a feed of lines of JSON: a member of each line, and the parameter of the query that resumes after
/// it.
struct CursorArgument: Sendable {
    private let parameter: String
    /// The names of the members that lead to the position, outermost first.
    private let path: [String]

    /// Reads the value of `--cursor`: `PARAMETER=MEMBER`, or `PARAMETER=MEMBER.MEMBER` for a member of an object.
    init(_ argument: String) throws(UsageError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let path = (parts.count == 2 ? parts[1] : "").split(separator: ".", omittingEmptySubsequences: false)
        guard !parts[0].isEmpty, !path.contains("") else {
            throw UsageError("--cursor needs PARAMETER=MEMBER, and \(argument.quoted) is none")
        }
        parameter = parts[0]
        self.path = path.map(String.init)
    }

    var cursor: Feed<Data>.Cursor {
        .query(parameter) { [path] line in
            guard let key = CursorPosition.pathKey else { return nil }
            let decoder = JSONDecoder()
            decoder.userInfo[key] = path
            // A line without the member does not change the position.
            return try? decoder.decode(CursorPosition.self, from: line).text
        }
    }
}

/// The value of a member, text or number.
private struct CursorPosition: Decodable {
    static let pathKey = CodingUserInfoKey(rawValue: "path")

    let text: String

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let path = Self.pathKey.flatMap { decoder.userInfo[$0] as? [String] } ?? []
        var container = try decoder.container(keyedBy: Name.self)
        for name in path.dropLast() {
            container = try container.nestedContainer(keyedBy: Name.self, forKey: Name(stringValue: name))
        }
        let name = Name(stringValue: path.last ?? "")
        if let text = try? container.decode(String.self, forKey: name) {
            self.text = text
        } else {
            text = "\(try container.decode(Decimal.self, forKey: name))"
        }
    }
}
