/// An exchange as it is kept in a recording: what was sent, and everything that came of it.
public struct RecordedExchange: Codable, Sendable {
    /// One for the first that was started.
    public let number: Int
    /// What was sent.
    public let request: Request
    let events: [Event]

    /// What was sent.
    public struct Request: Codable, Sendable {
        /// The method.
        public let method: String
        /// The URL, redacted.
        public let url: String
        let headers: [Field]
        let body: Content?
    }

    struct Field: Codable, Sendable {
        let name: String
        let value: String
    }

    /// Bytes: as text where they are one that can be read.
    enum Content: Codable, Hashable, Sendable {
        case text(String)
        case base64(Data)

        private enum CodingKeys: String, CodingKey {
            case text
            case base64
        }

        init(_ data: Data) {
            let isReadable = data.allSatisfy { $0 >= 0x20 && $0 != 0x7F || [0x09, 0x0A, 0x0D].contains($0) }
            if isReadable, let text = String(validating: data, as: UTF8.self) {
                self = .text(text)
            } else {
                self = .base64(data)
            }
        }

        var data: Data {
            switch self {
            case .text(let text): Data(text.utf8)
            case .base64(let data): data
            }
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            if let text = try container.decodeIfPresent(String.self, forKey: .text) {
                self = .text(text)
            } else {
                self = .base64(try container.decode(Data.self, forKey: .base64))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            switch self {
            case .text(let text): try container.encode(text, forKey: .text)
            case .base64(let data): try container.encode(data, forKey: .base64)
            }
        }
    }

    /// One event. Of the members only those are there that its kind has.
    struct Event: Codable, Sendable {
        enum Kind: String, Codable, Sendable {
            case sent
            case head
            case chunk
            case finished
            case failed
            /// Whoever made the request gave it up.
            case aborted
        }

        let kind: Kind
        /// When it came, in milliseconds from the exchange's start.
        let at: Double
        var count: Int64?
        var total: Int64?
        var status: Int?
        var version: String?
        var headers: [Field]?
        var body: Content?
        var reason: String?
        var underlying: Underlying?

        init(_ kind: Kind, at: Double) {
            self.kind = kind
            self.at = at
        }
    }

    struct Underlying: Codable, Sendable {
        let domain: String
        let code: Int
        let message: String
    }
}
