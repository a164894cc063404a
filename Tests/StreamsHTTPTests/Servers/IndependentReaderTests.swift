import Foundation
import Testing

@testable import StreamsHTTP
@testable import StreamsHTTPTesting

/// Responses by HTTP/1.1, held against readers that are written by others.
///
/// A message that two readers take for different ones can be used to smuggle another (RFC 9112, section 11.2). That one
/// of them refuses a message is no danger.
@Suite(.needsReaders, .reservesDescriptors) struct IndependentReaderTests {
    private struct Message: Encodable {
        let method: String
        let bytes: Data
    }

    private struct Reading: Codable {
        var status = 0
        var content = Data()
        /// The bytes after the response; `nil` if the reader does not tell.
        var rest: Data?
        /// Whether the connection is kept; `nil` if the reader does not tell.
        var keepsConnection: Bool?

        func agrees(with other: Reading) -> Bool {
            guard status == other.status, content == other.content else { return false }
            guard let rest, let other = other.rest else { return true }
            return rest == other
        }
    }

    private static let h11 = """
        import h11
        def read(method, message):
            connection = h11.Connection(h11.CLIENT)
            connection.send(h11.Request(method=method, target="/", headers=[("Host", "h")]))
            connection.send(h11.EndOfMessage())
            status, content, isClosed = 0, b"", False
            connection.receive_data(message)
            while True:
                try: event = connection.next_event()
                except h11.RemoteProtocolError: return None
                if type(event) is h11.Response:
                    status = event.status_code
                elif type(event) is h11.Data:
                    content += event.data
                elif type(event) is h11.EndOfMessage:
                    return status, content, connection.trailing_data[0]
                elif event is h11.NEED_DATA and not isClosed:
                    isClosed = True
                    connection.receive_data(b"")
                elif type(event) is not h11.InformationalResponse:
                    return None
        """

    private static let libcurl = """
        import pycurl, socket
        def read(method, message):
            client, server = socket.socketpair()
            server.sendall(message)
            server.shutdown(socket.SHUT_WR)
            content = []
            transfer = pycurl.Curl()
            transfer.setopt(pycurl.URL, "http://127.0.0.1/")
            transfer.setopt(pycurl.PROXY, "")
            transfer.setopt(pycurl.NOBODY, method == "HEAD")
            transfer.setopt(pycurl.OPENSOCKETFUNCTION, lambda purpose, address: client)
            transfer.setopt(pycurl.SOCKOPTFUNCTION, lambda descriptor, purpose: pycurl.SOCKOPT_ALREADY_CONNECTED)
            transfer.setopt(pycurl.WRITEFUNCTION, content.append)
            try: transfer.perform()
            except pycurl.error: return None
            return transfer.getinfo(pycurl.RESPONSE_CODE), b"".join(content), None
        """

    private static let main = """

        import base64, json, sys
        def encoded(part): return None if part is None else base64.b64encode(part).decode()
        readings = []
        for message in json.load(sys.stdin):
            reading = read(message["method"], base64.b64decode(message["bytes"]))
            readings.append(reading and {"status": reading[0], "content": encoded(reading[1]), "rest": encoded(reading[2])})
        print(json.dumps(readings))
        """

    private func reading(_ message: Message) -> Reading? {
        var parser = ResponseParser(
            TransportRequest(
                method: HTTPMethod(rawValue: message.method), url: LazyURL("http://h/"), headers: [:], body: .empty,
                connection: RequestOptions.Connection(), connectTimeout: nil, idleTimeout: nil, usesBackpressure: false,
                headLimits: RequestOptions.HeadLimits(), previewName: nil))
        var reading = Reading()
        return message.bytes.withUnsafeBytes { bytes in
            var rest = bytes
            do {
                while let part = try parser.next(&rest) {
                    switch part {
                    case .head(let head):
                        reading.status = head.status.code
                    case .content(let count):
                        reading.content.append(contentsOf: rest[..<count])
                        parser.consume(content: count)
                        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                    }
                }
                if !parser.isComplete { try parser.end() }
                reading.rest = Data(rest)
                reading.keepsConnection = parser.keepsConnection
                return reading
            } catch {
                return nil
            }
        }
    }

    @Test(arguments: [h11, libcurl]) func readersThatTakeAMessageTakeTheSame(program: String) throws {
        var generator = MessageGenerator(seed: 25)
        let messages = (0..<20_000).map { _ in
            let (method, text) = generator.next()
            return Message(method: method, bytes: Data(text.utf8))
        }
        let output = try Program.env.output(
            of: [try #require(readersPython), "-c", program + Self.main], input: JSONEncoder().encode(messages))
        let theirs = try JSONDecoder().decode([Reading?].self, from: output)
        var takenCount = 0
        for (message, their) in zip(messages, theirs) {
            guard let their, let our = reading(message) else { continue }
            takenCount += 1
            let text = String(decoding: message.bytes, as: UTF8.self)
            // libcurl reads to the end of the connection, whatever the length. So nothing may follow on it.
            let lines = text.split(whereSeparator: \.isNewline)
            let isDisputed =
                program == Self.libcurl && text.lowercased().contains("content-length")
                && lines.contains { $0 == "Transfer-Encoding: " || $0 == "Transfer-Encoding: identity" }
            #expect(our.agrees(with: their) || isDisputed && our.keepsConnection == false, "\(text.debugDescription)")
        }
        #expect(theirs.count == messages.count && takenCount > 1000)
    }
}

/// Makes messages that are nearly right.
private struct MessageGenerator {
    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    private static let lines = [
        "HTTP/1.1 200 OK", "HTTP/1.1 200", "HTTP/1.0 200 OK", "HTTP/1.1 204 None", "HTTP/1.1 304 Same",
    ]
    private static let fields = [
        "Content-Length: 5", "Content-Length: 5", "Content-Length: 0", "Content-Length: 6", "content-length:5 ",
        "Content-Length: +5", "Content-Length: 5, 5", "Content-Length: 5, 6", "Content-Length: 0x5", "Content-Length: ",
        "Content-Length: 5\r\n ", "Content-Length : 5", "Transfer-Encoding: chunked", "Transfer-Encoding: Chunked",
        "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: identity",
        "Transfer-Encoding: chunked, identity", "Transfer-Encoding:\r\n chunked", "Transfer-Encoding: ",
        "Transfer-Encoding: \u{B}chunked", "Transfer-Encoding : chunked", "Connection: close", "X: y", " X: y", "X",
        ": y",
        "X: a\rContent-Length: 0", "X: a\0b",
    ]
    private static let contents = [
        "hello", "hello!", "hell", "", "5\r\nhello\r\n0\r\n\r\n", "5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n",
        "5 \r\nhello\r\n0\r\n\r\n",
        "05\r\nhello\r\n00\r\n\r\n", "+5\r\nhello\r\n0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n",
        "5_\r\nhello\r\n0\r\n\r\n",
        "5\nhello\n0\n\n", "5\r\nhello0\r\n\r\n", "5\r\nhello\r\n0\r\n", "5\r\nhello\r\n\r\n0\r\n\r\n",
        "\r\n5\r\nhello\r\n0\r\n\r\n",
        "A\r\nhello\r\n0\r\n\r\n\r\n0\r\n\r\n", "ffffffffffffffff\r\nhello", "5;\r\nhello\r\n0\r\n\r\n",
        "-5\r\nhello\r\n0\r\n\r\n",
        "5\r\nhello\r\n0\r\nX: y\r\n Z\r\n\r\n", "5\r\nhello\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        "5;a=\"\r\n\"\r\nhello\r\n0\r\n\r\n",
    ]
    private static let beginnings = [
        "", "", "", "", "\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Hints\r\nX: y\r\n\r\n",
    ]

    /// Makes a request's method, and the bytes of a response.
    mutating func next() -> (method: String, text: String) {
        let method = pick(["GET", "GET", "GET", "HEAD"])
        let fields = (0..<Int.random(in: 0...3, using: &random)).map { _ in pick(Self.fields) }
        let lines = [pick(Self.lines)] + fields + [""]
        let text = pick(Self.beginnings) + lines.map { $0 + pick(["\r\n", "\r\n", "\r\n", "\n"]) }.joined()
        return (method, text + pick(Self.contents) + pick(["", "", "rest"]))
    }

    private mutating func pick(_ choices: [String]) -> String { choices.randomElement(using: &random) ?? "" }
}

/// The interpreter that has the readers, if any.
private let readersPython = PythonInterpreter.having("h11", "pycurl")

extension Trait where Self == ConditionTrait {
    /// Skips a test where h11 or pycurl is missing, unless the environment has `STREAMS_REQUIRE_SERVERS`.
    fileprivate static var needsReaders: Self {
        .enabled("no h11 or pycurl, neither in STREAMS_HTTPBIN_PYTHON's interpreter nor in python3's") {
            Program.areRequired || readersPython != nil
        }
    }
}
