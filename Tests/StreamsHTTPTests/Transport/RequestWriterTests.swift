import Testing

@testable import StreamsHTTP

@Suite struct RequestWriterTests {
    /// Returns a request as it is sent, written to buffers of a size.
    private func written(
        _ method: HTTPMethod = .get, _ url: String = "http://h/", headers: HTTPHeaders = [:], body: HTTPBody = .empty,
        form: RequestHead.TargetForm = .origin, bufferSize: Int = 4096
    ) throws -> String {
        let request = TransportRequest(
            method: method, url: try #require(URL(string: url)), headers: headers, body: body,
            connection: RequestOptions.Connection.with { $0.decodesContent = false })
        var upload = BodyUpload(body)
        if !body.isEmpty { try upload.open {} }
        let isHeld = ContinueWait(request, hasContent: upload.isPresent, now: .now).isHolding
        var writer = RequestWriter(request, upload, form: form)
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 1)
        defer { buffer.deallocate() }
        repeat {
            guard case .bytes(let count) = writer.write(&upload, isHeld: isHeld, to: buffer) else { continue }
            #expect(count > 0 && count <= bufferSize)
            bytes += buffer[..<count]
        } while !writer.isOver && !isHeld || upload.resume()
        #expect(writer.isOver || isHeld)
        upload.close()
        return String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "|")
    }

    @Test(arguments: [
        ("http://h", "GET / HTTP/1.1|Host: h||"), ("http://h:80/a?b#c", "GET /a?b HTTP/1.1|Host: h||"),
        ("http://h:8080?q=//x", "GET /?q=//x HTTP/1.1|Host: h:8080||"),
        ("https://[::1]:443/", "GET / HTTP/1.1|Host: [::1]||"), ("https://h:80/", "GET / HTTP/1.1|Host: h:80||"),
    ])
    func theTargetIsThePathAndTheQuery(url: String, text: String) throws {
        #expect(try written(.get, url) == text)
    }

    @Test func aProxyIsSentTheWholeURL() throws {
        #expect(
            try written(.get, "http://h:80/a", form: .absolute(authorization: "Basic x"))
                == "GET http://h:80/a HTTP/1.1|Host: h|Proxy-Authorization: Basic x||")
        #expect(
            try written(
                .get, "http://h", headers: ["Proxy-Authorization": "own"], form: .absolute(authorization: "Basic x"))
                == "GET http://h/ HTTP/1.1|Host: h|Proxy-Authorization: own||")
    }

    @Test func fieldsOfTheRequestComeBeforeThoseOfTheTransport() throws {
        #expect(
            try written(.post, headers: ["Host": "other", "A": "", "B": "1"])
                == "POST / HTTP/1.1|Host: other|A: |B: 1|Content-Length: 0||")
    }

    /// A chunk is never larger than the buffer.
    @Test(arguments: [24, 30, 100, 4096])
    func contentIsFramed(bufferSize: Int) throws {
        let text = String(decoding: (0..<50).map { UInt8(ascii: "A") + $0 }, as: UTF8.self)
        #expect(
            try written(.put, body: .text(text), bufferSize: bufferSize).hasSuffix("|Content-Length: 50||" + text))
        let source = ChunkSource([Data(text.utf8)], end: .finished)
        let sent = try written(.put, body: .stream(source), bufferSize: bufferSize)
        #expect(sent.contains("|Transfer-Encoding: chunked||") && sent.hasSuffix("|0||"))
        // Sizes and contents in turn.
        let lines = try #require(sent.split(separator: "||").last).split(separator: "|")
        #expect(stride(from: 1, to: lines.count, by: 2).map { lines[$0] }.joined() == text)
        if bufferSize == 4096 { #expect(sent.hasSuffix("||32|\(text)|0||")) }
    }

    @Test func contentWaitsForTheServer() throws {
        #expect(
            try written(.put, headers: ["Expect": "100-Continue"], body: .text("x")).hasSuffix("|Content-Length: 1||"))
    }
}
