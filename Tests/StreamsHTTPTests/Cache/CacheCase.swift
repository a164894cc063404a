import Foundation
import StreamsHTTP

/// A case for private caches of the public suite; see `Tests/Fixtures/CacheCases`.
struct CacheCase: Decodable, Sendable {
    enum Kind: String, Decodable, Sendable {
        case required
        case optimal
        case check
    }

    /// A field, or an expectation about one.
    struct Field: Decodable, Sendable {
        let name: String
        /// The value; `nil` if the field is to be there with any.
        let value: Value?
        /// Whether the value is to be larger than the number.
        let isMinimum: Bool
        /// Whether the client is to receive the value unchanged.
        let isChecked: Bool
    }

    enum Value: Sendable {
        case text(String)
        /// A difference to now in seconds, or a number.
        case number(Int)
    }

    let id: String
    let kind: Kind
    let dependsOn: [String]?
    let requests: [Request]

    enum CodingKeys: String, CodingKey {
        case id
        case kind
        case dependsOn = "depends_on"
        case requests
    }

    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Fixtures/CacheCases/cache-cases.json")

    /// Reads all cases.
    static func all() throws -> [CacheCase] {
        try JSONDecoder().decode([CacheCase].self, from: Data(contentsOf: file))
    }
}

extension CacheCase {
    /// A request, with the response of the origin and what must hold.
    struct Request: Decodable, Sendable {
        enum Expectation: String, Decodable, Sendable {
            case cached
            case notCached = "not_cached"
            case etagValidated = "etag_validated"
            case lmValidated = "lm_validated"
        }

        /// A status and a reason phrase.
        struct Status: Decodable, Sendable {
            let code: Int
            let phrase: String

            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                code = try container.decode(Int.self)
                phrase = try container.decode(String.self)
            }
        }

        let method: String?
        let headers: [Field]?
        let body: String?
        let query: String?
        let filename: String?
        let fetchMode: String?
        let pausesAfter: Bool?
        let status: Status?
        let responseHeaders: [Field]?
        let responseBody: String?
        let responsePause: Int?
        let disconnects: Bool?
        let hasMagicLocations: Bool?
        let expectation: Expectation?
        /// The expected status; zero if none is expected, but a failure is allowed.
        let expectedStatus: Int?
        let expectedMethod: String?
        let expectedRequestHeaders: [Field]?
        let expectedResponseHeaders: [Field]?
        let missingResponseHeaders: [Field]?
        /// The expected body; empty if any is.
        let expectedText: String?
        let checksBody: Bool?
        let isSetup: Bool?
        let setupTests: [String]?

        enum CodingKeys: String, CodingKey {
            case method = "request_method"
            case headers = "request_headers"
            case body = "request_body"
            case query = "query_arg"
            case filename
            case fetchMode = "cache"
            case pausesAfter = "pause_after"
            case status = "response_status"
            case responseHeaders = "response_headers"
            case responseBody = "response_body"
            case responsePause = "response_pause"
            case disconnects = "disconnect"
            case hasMagicLocations = "magic_locations"
            case expectation = "expected_type"
            case expectedStatus = "expected_status"
            case expectedMethod = "expected_method"
            case expectedRequestHeaders = "expected_request_headers"
            case expectedResponseHeaders = "expected_response_headers"
            case missingResponseHeaders = "expected_response_headers_missing"
            case expectedText = "expected_response_text"
            case checksBody = "check_body"
            case isSetup = "setup"
            case setupTests = "setup_tests"
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            method = try values.decodeIfPresent(String.self, forKey: .method)
            headers = try values.decodeIfPresent([Field].self, forKey: .headers)
            body = try values.decodeIfPresent(String.self, forKey: .body)
            query = try values.decodeIfPresent(String.self, forKey: .query)
            filename = try values.decodeIfPresent(String.self, forKey: .filename)
            fetchMode = try values.decodeIfPresent(String.self, forKey: .fetchMode)
            pausesAfter = try values.decodeIfPresent(Bool.self, forKey: .pausesAfter)
            status = try values.decodeIfPresent(Status.self, forKey: .status)
            responseHeaders = try values.decodeIfPresent([Field].self, forKey: .responseHeaders)
            responseBody = try values.decodeIfPresent(String.self, forKey: .responseBody)
            responsePause = try values.decodeIfPresent(Int.self, forKey: .responsePause)
            disconnects = try values.decodeIfPresent(Bool.self, forKey: .disconnects)
            hasMagicLocations = try values.decodeIfPresent(Bool.self, forKey: .hasMagicLocations)
            expectation = try values.decodeIfPresent(Expectation.self, forKey: .expectation)
            // A null is an expectation, too.
            expectedStatus =
                values.contains(.expectedStatus)
                ? try values.decodeIfPresent(Int.self, forKey: .expectedStatus) ?? 0 : nil
            expectedMethod = try values.decodeIfPresent(String.self, forKey: .expectedMethod)
            expectedRequestHeaders = try values.decodeIfPresent([Field].self, forKey: .expectedRequestHeaders)
            expectedResponseHeaders = try values.decodeIfPresent([Field].self, forKey: .expectedResponseHeaders)
            missingResponseHeaders = try values.decodeIfPresent([Field].self, forKey: .missingResponseHeaders)
            expectedText =
                values.contains(.expectedText)
                ? try values.decodeIfPresent(String.self, forKey: .expectedText) ?? "" : nil
            checksBody = try values.decodeIfPresent(Bool.self, forKey: .checksBody)
            isSetup = try values.decodeIfPresent(Bool.self, forKey: .isSetup)
            setupTests = try values.decodeIfPresent([String].self, forKey: .setupTests)
        }
    }
}

extension CacheCase.Field {
    init(from decoder: any Decoder) throws {
        if let name = try? decoder.singleValueContainer().decode(String.self) {
            (self.name, value, isMinimum, isChecked) = (name, nil, false, true)
            return
        }
        var container = try decoder.unkeyedContainer()
        name = try container.decode(String.self)
        let first = try container.decode(CacheCase.Value.self)
        if case .text(">") = first {
            value = try container.decode(CacheCase.Value.self)
            (isMinimum, isChecked) = (true, true)
        } else {
            value = first
            isMinimum = false
            isChecked = container.isAtEnd ? true : try container.decode(Bool.self)
        }
    }
}

extension CacheCase.Value: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self =
            if let number = try? container.decode(Int.self) { .number(number) } else {
                .text(try container.decode(String.self))
            }
    }
}
