import StreamsHTTP

/// Recorded exchanges, in the order of their starts.
///
/// On disk a session is a folder with a JSON file for each exchange, named after its number, method and path, so that a
/// review shows each changed exchange. The file `session.json` has the format and the redaction. Only the owner has access to the files,
/// because a recording may be private also after redaction.
public struct RecordedSession: Sendable {
    /// The version of the format, which changes when older recordings would be replayed otherwise than recorded.
    public static let format = 2

    /// The exchanges, by their number.
    public private(set) var exchanges: [RecordedExchange]
    /// The names of the redacted values.
    public let redaction: Redaction

    init(_ exchanges: [RecordedExchange], redaction: Redaction) {
        self.exchanges = exchanges.sorted { $0.number < $1.number }
        self.redaction = redaction
    }

    /// Reads a session from a folder.
    ///
    /// - Parameter path: The folder's path.
    /// - Throws: `FileError`, a ``RecordingError`` if another version of the package has made the recording, or a
    ///   `DecodingError`.
    public init(path: String) throws {
        let format = try Self.decoded(Version.self, from: "\(path)/\(Self.manifestName)").format
        guard format == Self.format else { throw RecordingError.format(format) }
        let manifest = try Self.decoded(Manifest.self, from: "\(path)/\(Self.manifestName)")
        let names = try Folder.names(in: path).filter(\.isExchange)
        let exchanges = try names.map { try Self.decoded(RecordedExchange.self, from: "\(path)/\($0)") }
        try Self.checkNumbers(of: exchanges)
        for exchange in exchanges { try exchange.checkFailures() }
        self.init(exchanges, redaction: manifest.redaction)
    }

    /// Writes the session to a folder. Creates the folder if necessary, and replaces a session in it.
    ///
    /// - Parameter path: The folder's path.
    /// - Throws: `FileError` or an `EncodingError`.
    public func write(to path: String) throws {
        try Self.begin(in: path, redaction: redaction)
        for exchange in exchanges { try Self.write(exchange, to: path) }
    }
}

extension RecordedSession {
    /// The member of a manifest that every format has.
    private struct Version: Decodable {
        let format: Int
    }

    private struct Manifest: Codable {
        var format = RecordedSession.format
        let redaction: Redaction
    }

    private static let manifestName = "session.json"

    /// Checks that each exchange has a number of its own, from 1, after which its file is named.
    private static func checkNumbers(of exchanges: [RecordedExchange]) throws(DecodingError) {
        var numbers: Set<Int> = []
        for exchange in exchanges where exchange.number < 1 || !numbers.insert(exchange.number).inserted {
            let text = "The number \(exchange.number) is less than 1, or another exchange has it."
            throw .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: text))
        }
    }

    /// Creates the folder of a session, and removes the exchanges of a previous one.
    static func begin(in path: String, redaction: Redaction) throws {
        try Folder.create(path)
        let names = try Folder.names(in: path)
        for name in names where names.contains(manifestName) && name.isExchange { Folder.removeFile("\(path)/\(name)") }
        try Folder.replaceFile(at: "\(path)/\(manifestName)", with: encoded(Manifest(redaction: redaction)))
    }

    static func write(_ exchange: RecordedExchange, to path: String) throws {
        try Folder.replaceFile(at: "\(path)/\(exchange.fileName)", with: encoded(exchange))
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
    /// The name of the exchange's file, for instance `0007-GET-users-me.json`.
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
