import StreamsHTTP

/// A recorded exchange: the request and all events.
public struct RecordedExchange: Codable, Sendable {
    /// The number of the exchange in the order of the starts, from 1.
    public let number: Int
    /// The request, redacted.
    public let request: Request
    let events: [Event]

    /// A recorded request.
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
        /// The value as text.
        let value: String
        /// The bytes of the value if they are not valid UTF-8.
        let base64: Data?
    }

    /// Bytes, kept as text if they are readable.
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

    /// A recorded event. It has only the members of its kind.
    struct Event: Codable, Sendable {
        enum Kind: String, Codable, Sendable {
            case sent
            case head
            case chunk
            case trailers
            case finished
            case failed
            /// The receiver aborted the exchange.
            case aborted
        }

        let kind: Kind
        /// The time since the exchange's start in milliseconds.
        let at: Double
        var count: Int64?
        var total: Int64?
        var status: Int?
        var version: String?
        var headers: [Field]?
        var body: Content?
        /// The ``HTTPError/Reason/name`` of a failure.
        var reason: String?
        /// The detail of a failure: a limit, an address or a text.
        var detail: String?
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
