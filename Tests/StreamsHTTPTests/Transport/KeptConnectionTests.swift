import StreamsHTTP
import Testing

/// Connections that are kept after a response, or closed.
@Suite(.reservesDescriptors) struct KeptConnectionTests {
    /// Sends two requests, of which the second follows the response to the first.
    ///
    /// - Returns: The body of the second response, and the number of the connection that it came on.
    private func secondResponse(
        after first: String, method: HTTPMethod = .get
    ) async throws -> (body: String, connection: Int) {
        let connections = Watched(0)
        let server = try RawServer { connection in
            connections.update { $0 = max($0, connection.number) }
            while let message = connection.readMessage() {
                let isFirst = connection.number == 1 && message.method == method.rawValue
                connection.write(isFirst ? first : "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright")
                // The late body of the first response.
                if !isFirst { connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong") }
            }
        }
        let client = server.client(options: .with { $0.validation = .acceptAll })
        _ = try await client.response(for: HTTPRequest(method, "/"))
        let response = try await client.response(for: HTTPRequest(.put, "/"))
        return (try response.text(), connections.value)
    }

    @Test(
        arguments: [
            ("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", HTTPMethod.get),
            ("HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n", .get),
            ("HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", .get),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", .head),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity, chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", .get),
            ("HTTP/1.1 103 Hints\r\nContent-Length: 5\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", .get),
        ])
    func closesAfterContradictoryFraming(response: String, method: HTTPMethod) async throws {
        let second = try await secondResponse(after: response, method: method)
        #expect(second.body == "right" && second.connection == 2)
    }

    @Test(
        arguments: [
            ("HTTP/1.1 204 No Content\r\n\r\n", HTTPMethod.get),
            ("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", .get),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", .head),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", .get),
        ])
    func keepsOtherConnections(response: String, method: HTTPMethod) async throws {
        let second = try await secondResponse(after: response, method: method)
        #expect(second.body == "right" && second.connection == 1)
    }

    @Test(
        arguments: [
            ("timeout=0", 2), ("max=5, timeout=0", 2), ("TIMEOUT = 0", 2), ("timeout=60", 1), ("max=0", 1),
            ("timeout=99999999999999999999", 1), ("timeout=9223372036854775807", 1), ("timeout=-1", 1), ("timeout", 1),
            ("", 1),
        ])
    func obeysAnnouncedTimeout(field: String, connection: Int) async throws {
        let response = "HTTP/1.1 200 OK\r\nKeep-Alive: \(field)\r\nContent-Length: 0\r\n\r\n"
        let second = try await secondResponse(after: response)
        #expect(second.body == "right" && second.connection == connection)
    }
}
