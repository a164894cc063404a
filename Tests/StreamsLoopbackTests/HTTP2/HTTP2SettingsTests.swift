import Testing

@testable import StreamsLoopback

/// The settings of the server, and the records of its connections.
@Suite(.serialized) struct HTTP2SettingsTests {
    typealias Settings = LoopbackServer.HTTP2Settings

    private func server(_ settings: Settings) throws -> LoopbackServer {
        let server = try LoopbackServer(http2: settings)
        server.on("GET", "/", .text("hello"))
        return server
    }

    @Test func sendsItsSettings() throws {
        var settings = Settings(
            headerTableSize: 1, maxConcurrentStreams: 2, initialWindow: 3, maxFrameSize: 20_000,
            maxHeaderListSize: 5)
        settings.others = [.init(0xFF, 6)]
        let server = try server(settings)
        let client = try RawHTTP2Client(server)
        let values: [(UInt16, UInt32)] = [(1, 1), (3, 2), (4, 3), (5, 20_000), (6, 5), (0xFF, 6)]
        #expect(client.nextFrame()?.payload == values.flatMap { bigEndian($0) + bigEndian($1) })
    }

    @Test func canKeepSilentAboutSettingsAndPings() throws {
        var settings = Settings(maxConcurrentStreams: 0)
        settings.areSent = false
        settings.acknowledgesSettings = false
        settings.answersPings = false
        let server = try server(settings)
        let client = try RawHTTP2Client(server)
        client.send(.ping())
        client.request("GET", "/")
        #expect(try client.reply().text == "hello")
        #expect(client.frames.map(\.type) == [1, 0])
    }

    @Test(arguments: [true, false])
    func refusesTooManyStreams(isAcknowledged: Bool) async throws {
        let server = try server(Settings(maxConcurrentStreams: 1))
        let gate = Gate()
        server.on("GET", "/held", Reply.text("held").held(by: gate))
        let client = try RawHTTP2Client(server)
        if isAcknowledged { client.send(.settingsAcknowledgement) }
        client.request("GET", "/held", on: 1)
        client.request("GET", "/", on: 3)
        #expect(try client.reply(on: 3).end == .reset(.refusedStream))
        #expect(server.journal.rejections == (isAcknowledged ? ["REFUSED_STREAM: too many streams at once"] : []))
        #expect(server.http2Connections[0].refusedStreams == [3])
        gate.open()
        #expect(try client.reply(on: 1).text == "held")
        client.request("GET", "/", on: 5)
        #expect(try client.reply(on: 5).text == "hello")
        #expect(server.requests.map(\.stream) == [1, 5])
    }

    @Test func holdsTheClientToTheTableAndTheFrameSize() throws {
        let server = try server(Settings(headerTableSize: 0, maxFrameSize: 20_000))
        let client = try RawHTTP2Client(server)
        client.send(.init(type: 0xEE, payload: [UInt8](repeating: 0, count: 20_000)), .settingsAcknowledgement)
        client.send(.headers(block: [0x20, 0x82, 0x86, 0x84], endStream: true))
        #expect(try client.reply().text == "hello")
        client.send(.headers(block: [0x21, 0x82, 0x86, 0x84], endStream: true, on: .number(3)))
        _ = try client.frame(ofType: HTTP2FrameType.goAway)
        #expect(server.journal.rejections == ["COMPRESSION_ERROR: a table of 1 bytes, not 0"])
    }

    @Test func recordsTheFramesOfTheClient() async throws {
        let server = try server(Settings())
        server.on("GET", "/held", Reply().held(by: Gate()))
        let client = try RawHTTP2Client(server, settings: [.init(2, 0), .init(4, 1000)])
        client.send(.settingsAcknowledgement, .ping([1, 2, 3, 4, 5, 6, 7, 8]))
        client.request("GET", "/held")
        try await server.wait { $0.requests.first?.state == .waiting }
        client.send(
            .resetStream(.cancel), .ping(isAcknowledgement: true),
            .init(type: 7, on: .connection, payload: [0, 0, 0, 0, 0, 0, 0, 1, 0x68, 0x69]))
        let journal = try await server.wait { $0.http2Connections.first?.frames.count == 6 }
        #expect(
            journal.http2Connections[0].frames == [
                .settings([.init(2, 0), .init(4, 1000)]), .settingsAcknowledgement, .ping([1, 2, 3, 4, 5, 6, 7, 8]),
                .resetStream(1, .cancel), .pingAcknowledgement(Array("loopback".utf8)),
                .goAway(last: 0, .protocolError, debugData: Array("hi".utf8)),
            ])
        #expect(journal.http2Connections[0].resets == [1: .cancel])
        #expect(try await server.waitForDisconnection(of: 1).resetCode == .cancel)
        #expect(server.http2Connections[0].isOpen)
        client.raw.finishSending()
        try await server.wait { $0.http2Connections[0].isOpen == false && $0.openConnections == 0 }
    }

    @Test func rejectsWhatFollowsAReset() async throws {
        let server = try server(Settings())
        server.on("POST", "/", intake: .never, Reply().held(by: Gate()))
        let client = try RawHTTP2Client(server)
        client.request("POST", "/", endStream: false)
        client.send(.resetStream(.cancel), .data([1]))
        _ = try client.frame(ofType: HTTP2FrameType.goAway)
        #expect(server.journal.rejections == ["STREAM_CLOSED: DATA on the closed stream 1"])
    }

    @Test func endsWithTheServer() async throws {
        let server = try server(Settings())
        server.on("GET", "/held", Reply().held(by: Gate()))
        server.on("GET", "/large", .generated(1 << 40))
        let client = try RawHTTP2Client(server)
        client.request("GET", "/held", on: 1)
        client.request("GET", "/large", on: 3)
        try await server.wait { $0.requests.map(\.state) == [.waiting, .blocked] }
        server.stop()
        #expect(server.requests.map(\.state) == [.stopped, .stopped])
        #expect(server.openConnections == 0)
    }

    @Test func endsWithTheClient() async throws {
        let server = try server(Settings())
        server.on("GET", "/", .generated(1 << 40))
        do {
            let client = try RawHTTP2Client(
                server, settings: [.init(4, 0x7FFF_FFFF)], receiveBuffer: 32 * 1024)
            client.send(.windowUpdate(by: 0x7FFF_0000, on: .connection))
            client.request("GET", "/")
            try await server.waitForBackPressure(lasting: .milliseconds(50))
        }
        #expect(try await server.waitForDisconnection().state == .disconnected)
        try await server.wait { $0.openConnections == 0 }
    }
}
