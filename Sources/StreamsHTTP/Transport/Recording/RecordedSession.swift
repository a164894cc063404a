/// Exchanges that were recorded, in the order in which they were started.
///
/// On disk a session is a folder with one file of JSON for each exchange, named after its number, method and path, so
/// that a recording can be read in a review, and a change to it shows as a change of that exchange; and `session.json`,
/// which says what was left out.
public struct RecordedSession: Sendable {
    /// The exchanges, by their number.
    public private(set) var exchanges: [RecordedExchange]
    /// What was left out.
    public let redaction: Redaction

    init(_ exchanges: [RecordedExchange], redaction: Redaction) {
        self.exchanges = exchanges.sorted { $0.number < $1.number }
        self.redaction = redaction
    }

    /// Reads a session.
    ///
    /// - Parameter path: Its folder's path.
    /// - Throws: ``FileError`` or a `DecodingError`.
    public init(path: String) throws {
        let about = try Self.decoded(About.self, from: "\(path)/\(Self.aboutName)")
        let names = try Folder.names(in: path).filter(\.isExchange)
        self.init(
            try names.map { try Self.decoded(RecordedExchange.self, from: "\(path)/\($0)") },
            redaction: about.redaction)
    }

    /// Writes the session.
    ///
    /// - Parameter path: Its folder's path. The folder is made if need be; a session that was there before is replaced.
    /// - Throws: ``FileError``, or what the encoder throws.
    public func write(to path: String) throws {
        try Self.begin(in: path, redaction: redaction)
        for exchange in exchanges { try Self.write(exchange, to: path) }
    }
}

extension RecordedSession {
    private struct About: Codable {
        var format = 1
        let redaction: Redaction
    }

    private static let aboutName = "session.json"

    /// Makes the folder of a session, without the exchanges of one that was there.
    static func begin(in path: String, redaction: Redaction) throws {
        try Folder.make(path)
        let names = try Folder.names(in: path)
        for name in names where names.contains(aboutName) && name.isExchange { Folder.remove("\(path)/\(name)") }
        try Folder.write(encoded(About(redaction: redaction)), to: "\(path)/\(aboutName)")
    }

    static func write(_ exchange: RecordedExchange, to path: String) throws {
        try Folder.write(encoded(exchange), to: "\(path)/\(exchange.fileName)")
    }

    private static func encoded(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value) + Data("\n".utf8)
    }

    private static func decoded<Value: Decodable>(_ type: Value.Type, from path: String) throws -> Value {
        try JSONDecoder().decode(type, from: Folder.contents(of: path))
    }
}

extension RecordedExchange {
    /// `0007-GET-users-me.json`.
    fileprivate var fileName: String {
        let digits = String(number)
        let path = URL(string: request.url)?.path(percentEncoded: true) ?? ""
        let words = (request.method + path).map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
        let name = String(words.prefix(60)).split(separator: "-").joined(separator: "-")
        return "\(String(repeating: "0", count: max(4 - digits.count, 0)))\(digits)-\(name).json"
    }
}

extension String {
    /// Whether this is the name of an exchange's file.
    fileprivate var isExchange: Bool {
        hasSuffix(".json") && prefix { $0.isASCII && $0.isNumber }.count >= 4
    }
}
