import StreamsHTTP
import StreamsLoopback
import Testing

/// HTTP/2 streams that a server refuses, and so does not process (RFC 9113, section 8.7).
@Suite(.reservesDescriptors) struct RefusedStreamTests {
    private static let http2 = RequestOptions.with { $0.connection.protocolPolicy = .http2 }

    @Test(arguments: [HTTPMethod.get, .post], [0, 3000])
    func aRefusedStreamIsSentAgain(method: HTTPMethod, size: Int) async throws {
        let content = method == .get ? [] : GeneratedBytes.bytes(0..<size)
        let methods = Watched(0)
        let received = Watched<[[UInt8]]>([])
        let server = try RawServer { connection in
            guard connection.acceptHTTP2(), let stream = connection.readStream() else { return }
            methods.update { $0 += 1 }
            if connection.number == 1 {
                connection.writeFrame(.reset, stream: stream, [0, 0, 0, 7])
            } else {
                received.update { $0.append(connection.readContent(content.count)) }
                // `:status: 200`, with the end of the head and of the stream.
                connection.writeFrame(.headers, flags: 0x5, stream: stream, [0x88])
            }
            while !connection.read(1).isEmpty {}
        }
        let request = HTTPRequest(method, "/", body: content.isEmpty ? .empty : .data(Data(content)))
        let recording = try await EventRecorder.record(server.client(options: Self.http2).events(for: request))
        #expect(recording.outline == ["attempt 1", "head 200", "response 200"] && methods.value == 2)
        let isExact = received.value == [content]
        #expect(isExact)
    }

    @Test(arguments: [HTTPMethod.get, .post])
    func aStreamThatNeedsHTTP1IsSentAgain(method: HTTPMethod) async throws {
        let server = try RawServer { connection in
            if connection.number == 1 {
                guard connection.acceptHTTP2(), let stream = connection.readStream() else { return }
                connection.writeFrame(.reset, stream: stream, [0, 0, 0, 13])
            } else if connection.readRequest() != nil {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
            while !connection.read(1).isEmpty {}
        }
        let response = try await server.client(options: Self.http2).response(for: HTTPRequest(method, "/"))
        #expect(response.status == .ok && response.version == .http11)
    }
}
