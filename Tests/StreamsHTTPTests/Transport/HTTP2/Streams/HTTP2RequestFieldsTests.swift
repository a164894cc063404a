import Foundation
import Testing

@testable import StreamsHTTP

/// The fields of requests by HTTP/2 (RFC 9113, sections 8.2 and 8.3.1).
struct HTTP2RequestFieldsTests {
    /// A connection's encoder, and the decoder of its server.
    private struct Connection {
        private var encoder = FieldBlockEncoder()
        private var decoder = FieldBlockDecoder()
        private(set) var size = 0

        mutating func fields(
            of request: TransportRequest, hasContent: Bool = false, length: Int64? = nil
        ) throws -> [String] {
            let block = HTTP2RequestFields(request, hasContent: hasContent, length: length).block(&encoder)
            size = block.count
            let fields = try block.withUnsafeBytes { try decoder.decode($0, limits: RequestOptions.HeadLimits()) }
            return try #require(fields).map { "\($0.name)=\($0.value)" }
        }
    }

    private func fields(
        _ method: HTTPMethod = .get, _ url: String = "https://h/", headers: HTTPHeaders = [:], hasContent: Bool = false,
        length: Int64? = nil
    ) throws -> [String] {
        var connection = Connection()
        let request = HTTP2Conversation.request(method, url, headers: headers)
        return try connection.fields(of: request, hasContent: hasContent, length: length)
    }

    @Test(arguments: [
        ("https://h", "https", "h", "/"), ("https://h:443/a/b?c=d#e", "https", "h", "/a/b?c=d"),
        ("http://h:80?q", "http", "h", "/?q"), ("https://h:80/", "https", "h:80", "/"),
        ("http://[::1]:8080/%20", "http", "[::1]:8080", "/%20"),
    ])
    func theURLBecomesPseudoHeaderFields(url: String, scheme: String, authority: String, path: String) throws {
        #expect(
            try fields("PURGE", url)
                == [":method=PURGE", ":scheme=\(scheme)", ":authority=\(authority)", ":path=\(path)"])
    }

    @Test func theHostIsTheAuthority() throws {
        #expect(
            try fields(headers: ["A": "1", "Host": "other:1", "b": "2"])
                == [":method=GET", ":scheme=https", ":authority=other:1", ":path=/", "a=1", "b=2"])
    }

    @Test func fieldsOfTheConnectionAreNotSent() throws {
        let headers: HTTPHeaders = [
            "Connection": "close, X-Hop ,te", "connection": "Other", "Keep-Alive": "5", "Proxy-Connection": "x",
            "Transfer-Encoding": "chunked", "Upgrade": "h2c", "HTTP2-Settings": "x", "TE": "gzip", "X-HOP": "1",
            "oTHER": "2", "Content-Length": "7", "X-End": "3",
        ]
        #expect(try fields(headers: headers).dropFirst(4) == ["x-end=3"])
    }

    @Test func trailersCanBeAccepted() throws {
        #expect(try fields(headers: ["TE": "gzip, Trailers"]).dropFirst(4) == ["te=trailers"])
        #expect(try fields(headers: ["TE": "trailers;q=0"]).dropFirst(4) == [])
    }

    @Test(
        arguments: [
            (HTTPMethod.get, false, nil, []), (.get, true, 5, ["content-length=5"]), (.get, true, nil, []),
            (.post, false, nil, ["content-length=0"]), (.post, true, nil, []), (.put, true, 0, ["content-length=0"]),
            (.put, true, .max, ["content-length=9223372036854775807"]), (.delete, false, nil, []),
        ] as [(HTTPMethod, Bool, Int64?, [String])])
    func theLengthIsDeclared(method: HTTPMethod, hasContent: Bool, length: Int64?, expected: [String]) throws {
        let fields = try fields(method, headers: ["content-length": "99"], hasContent: hasContent, length: length)
        #expect(Array(fields.dropFirst(4)) == expected)
    }

    // Section 8.2.1: no blanks around a value, and no capitals in a name.
    @Test func valuesHaveNoBlanksAround() throws {
        #expect(try fields(headers: ["X-A": " \tb c ", "X-B": "  "]).dropFirst(4) == ["x-a=b c", "x-b="])
        var connection = Connection()
        var headers = HTTPHeaders()
        headers.add(HTTPHeaders.Field(name: "x", bytes: [0x20, 0xFF, 0x20]))
        #expect(try connection.fields(of: HTTP2Conversation.request(headers: headers)).last == "x=ÿ")
    }

    @Test func theContentCodingsAreOffered() throws {
        var connection = Connection()
        var request = HTTP2Conversation.request()
        request.connection.decodesContent = true
        let codings = try #require(request.offeredCodings)
        #expect(try connection.fields(of: request).dropFirst(4) == ["accept-encoding=\(codings)"])
        request.headers["Accept-Encoding"] = "own"
        #expect(try connection.fields(of: request).dropFirst(4) == ["accept-encoding=own"])
    }

    @Test func repeatedFieldsCostLittle() throws {
        var connection = Connection()
        let request = HTTP2Conversation.request(
            .get, "https://example.com/a/path",
            headers: ["user-agent": "test/1", "accept": "text/html", "range": "bytes=0-"])
        let first = try connection.fields(of: request)
        let firstSize = connection.size
        #expect(try connection.fields(of: request) == first)
        // The path and the range again, and an index for each other field.
        #expect(connection.size < firstSize && connection.size < 30)
    }

    /// A table with a secret would tell by the size of a block whether a guess is right.
    @Test(arguments: ["Authorization", "Cookie", "X-API-Key"])
    func secretsAreNeverIndexed(name: String) throws {
        var encoder = FieldBlockEncoder()
        var headers = HTTPHeaders()
        headers.add(name, "secret-1")
        let request = HTTP2Conversation.request(headers: headers)
        var sizes: [Int] = []
        for _ in 0..<3 {
            let block = HTTP2RequestFields(request, hasContent: false, length: nil).block(&encoder)
            sizes.append(block.count)
            var encoded: [UInt8] = []
            HuffmanCode.encode("secret-1".utf8, to: &encoded)
            // It is the last field: the length of the value, with its marker, and the value.
            #expect(block.suffix(encoded.count + 1) == [0x80 | UInt8(encoded.count)] + encoded)
        }
        #expect(sizes[1] == sizes[2])
    }
}
