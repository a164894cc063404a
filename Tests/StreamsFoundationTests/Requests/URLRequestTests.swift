import StreamsFoundation
import StreamsLoopback
import Testing

@Suite(.serialized) struct URLRequestTests {
    @Test func copiesAllParts() throws {
        let request = HTTPRequest(.put, "http://user:pass@h/a", query: ["q": "a b"], headers: ["X-A": "1", "X-A": "2"])
            .settingBody(.text("ü")).settingOptions { $0.timeouts.idle = .milliseconds(1500) }
        let made = try URLRequest(request)
        #expect(made.url?.absoluteString == "http://h/a?q=a%20b")
        #expect(made.httpMethod == "PUT")
        #expect(made.value(forHTTPHeaderField: "x-a") == "1,2")
        #expect(made.value(forHTTPHeaderField: "Authorization") == "Basic dXNlcjpwYXNz")
        #expect(made.value(forHTTPHeaderField: "Content-Type") == "text/plain; charset=utf-8")
        #expect(made.httpBody == Data("ü".utf8))
        #expect(made.timeoutInterval == 1.5)
    }

    @Test func refusesInvalidRequests() {
        #expect(throws: HTTPError.self) { try URLRequest(HTTPRequest(.get, "/relative")) }
        #expect(throws: HTTPError.self) { try URLRequest(HTTPRequest(.get, "http://h/", headers: ["A": "b\r\nc"])) }
    }

    @Test func mapsMissingIdleTimeout() throws {
        let request = HTTPRequest(.get, "http://h/").settingOptions { $0.timeouts.idle = nil }
        #expect(try URLRequest(request).timeoutInterval > 86_400)
    }

    @Test func refusesMissingFile() throws {
        do {
            _ = try URLRequest(HTTPRequest(.put, "http://h/", body: .file("/nowhere/at/all")))
            Issue.record("no error was thrown")
        } catch {
            guard case .thrown(let cause, by: .body) = error.reason else { throw error }
            #expect(cause is FileError)
        }
    }

    @Test func compressesSmallBodyAndRefusesLargeOne() throws {
        let small = HTTPBody.text(String(repeating: "a", count: 1000)).compressed()
        let request = try URLRequest(HTTPRequest(.put, "http://h/", body: small))
        #expect(request.httpBody?.prefix(2) == Data([0x1F, 0x8B]) && (request.httpBody?.count ?? 0) < 100)
        #expect(request.value(forHTTPHeaderField: "Content-Encoding") == "gzip")
        let large = HTTPBody.data(Data(count: 100_000)).compressed()
        #expect(throws: HTTPError.self) { try URLRequest(HTTPRequest(.put, "http://h/", body: large)) }
    }

    @Test func streamsFilesAndRefusesChunks() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "request-\(UUID().uuidString)")
        try Data("from a file".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let request = try URLRequest(HTTPRequest(.put, "http://h/", body: .file(file.path)))
        let stream = try #require(request.httpBodyStream)
        stream.open()
        defer { stream.close() }
        var buffer = [UInt8](repeating: 0, count: 100)
        let count = stream.read(&buffer, maxLength: buffer.count)
        #expect(String(decoding: buffer.prefix(count), as: UTF8.self) == "from a file")
        let chunks = HTTPBody.stream(Empty<Data, any Error>())
        do {
            _ = try URLRequest(HTTPRequest(.put, "http://h/", body: chunks))
            Issue.record("no error was thrown")
        } catch {
            guard case .thrown(let cause, by: .body) = error.reason else { throw error }
            #expect(cause is BodyNeedsTransport)
        }
    }
}
