import Foundation
import StreamsHTTP
import StreamsLoopback
import Testing

/// The program of the article "Daemons", as a process of its own.
@Suite(.reservesDescriptors) struct DaemonsSamples {
    private let server: LoopbackServer
    private let folder: ScratchFolder

    init() throws {
        server = try LoopbackServer()
        folder = try ScratchFolder()
    }

    /// The shop has 300 orders of 10 and 60 payments of 7. Below `/a`, its feeds break off, stop early, and fail.
    private func openShop() {
        var orders = FeedScript(
            .serverSentEvents, count: 300,
            .elements(80, every: .milliseconds(2), partial: 9, then: .close), .elements(80, then: .stall))
        orders.content = { "{\"number\":\($0),\"total\":10}" }
        orders.retry = .milliseconds(10)
        var payments = FeedScript(
            .jsonLines, count: 60, .elements(20, partial: 5, then: .close), .elements(20, then: .stall))
        payments.content = { "{\"number\":\($0),\"amount\":7}" }
        server.on("GET", "/a/orders", feed: orders)
        server.on("GET", "/a/payments", feed: payments)
        server.on("GET", "/a/rates") { _ in .json(#"{"value":1}"#) }
        server.on("GET", "/a/stock") { .json("{\"value\":\(max(8 - $0.turn, 5))}") }
        server.on("GET", "/a/visitors", .status(404))

        // Slow enough for reloads in the middle.
        orders = FeedScript(.serverSentEvents, count: 300, .elements(every: .milliseconds(5), then: .stall))
        orders.content = { "{\"number\":\($0),\"total\":10}" }
        payments = FeedScript(.jsonLines, count: 60, .elements(every: .milliseconds(20), then: .stall))
        payments.content = { "{\"number\":\($0),\"amount\":7}" }
        server.on("GET", "/b/orders", feed: orders)
        server.on("GET", "/b/payments", feed: payments)
        server.on("GET", "/b/rates", .json(#"{"value":2}"#))
        server.on("GET", "/b/stock", .json(#"{"value":4}"#))
        server.on("GET", "/b/visitors", .json(#"{"value":9}"#))
    }

    private func writeSettings(path: String) throws {
        try folder.write(#"{"server":"\#(server.url(path))","pollSeconds":0.05}"#, to: "shop.json")
    }

    @Test func followsReloadsAndDrains() async throws {
        openShop()
        let printed = PrintedLines()
        let daemon = try Tool(["\(folder.path)/shop.json"], output: printed.input, program: "ShopDaemon").start()
        // After a failed expectation, it would connect again for ever.
        defer { if daemon.process.isRunning { daemon.send(SIGKILL) } }
        try printed.begin()
        try await printed.wait { $0.hasPrefix("due=0 settings: ") }

        try writeSettings(path: "/a")
        daemon.send(SIGHUP)
        try await printed.wait(for: "due=1320 rates=1 stock=5 visitors: status")

        try folder.write("{", to: "shop.json")
        daemon.send(SIGHUP)
        try await printed.wait { $0.contains("settings: ") && !$0.contains("visitors") }

        // Each reload subscribes anew while elements arrive, and may neither lose nor repeat one.
        try writeSettings(path: "/b")
        for round in 1...4 {
            daemon.send(SIGHUP)
            try await server.wait { $0.requests.count { $0.path == "/b/orders" } == round }
        }
        try await printed.wait(for: "due=2580 rates=2 stock=4 visitors=9")
        let positions = server.requests.filter { $0.path == "/b/orders" }.map { $0.headers["Last-Event-ID"] }
        #expect(positions.first == "160")

        daemon.send(SIGTERM)
        let run = try await daemon.end(within: .seconds(60))
        #expect(run.status == 0)
        #expect(run.errors.isEmpty)
        #expect(printed.lines.last == "due=2580 rates=2 stock=4 visitors=9")
    }

    /// A server that sends the last five elements before the position again.
    @Test func countsNothingTwiceThatTheServerRepeats() async throws {
        @Sendable func reply(after position: Int, _ type: String, _ element: (Int) -> String) -> Reply {
            let elements = (max(position - 4, 1)...position + 10).map(element).joined()
            return Reply(
                headers: ["Content-Type": type], body: Reply.Body([.bytes(Array(elements.utf8))], framing: .chunked)
            )
            .failing(with: .stall(at: .inBody(after: .max)))
        }
        server.on("GET", "/orders") { request in
            reply(after: Int(request.headers["Last-Event-ID"] ?? "0") ?? 0, "text/event-stream") {
                "id: \($0)\ndata: {\"number\":\($0),\"total\":10}\n\n"
            }
        }
        server.on("GET", "/payments") { request in
            reply(after: Int(request.query?.split(separator: "=").last ?? "0") ?? 0, "application/x-ndjson") {
                "{\"number\":\($0),\"amount\":7}\n"
            }
        }
        for level in ["rates", "stock", "visitors"] { server.on("GET", "/\(level)", .json(#"{"value":1}"#)) }
        let printed = PrintedLines()
        try writeSettings(path: "")
        let daemon = try Tool(["\(folder.path)/shop.json"], output: printed.input, program: "ShopDaemon").start()
        defer { if daemon.process.isRunning { daemon.send(SIGKILL) } }
        try printed.begin()
        for round in 1...3 {
            // Ten orders of 10 and ten payments of 7 for each subscription.
            try await printed.wait(for: "due=\(round * 30) rates=1 stock=1 visitors=1")
            if round < 3 { daemon.send(SIGHUP) }
        }
        daemon.send(SIGTERM)
        #expect(try await daemon.end(within: .seconds(60)).status == 0)
        #expect(
            server.requests.filter { $0.path == "/orders" }.map { $0.headers["Last-Event-ID"] } == [nil, "10", "20"])
        #expect(server.requests.filter { $0.path == "/payments" }.map(\.query) == [nil, "after=10", "after=20"])
    }

    @Test func articleHasTheProgramThatRuns() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/Daemons.md")
        try article.expectProgram("Tests/Fixtures/ShopDaemon/ShopDaemon.swift", maxLineCount: 92)
    }
}

/// The lines that a program has printed so far.
private final class PrintedLines: Sendable {
    private let pipe = Pipe.uninherited()
    private let text = Watched("")

    /// The end of the pipe that the program writes to.
    var input: FileHandle { pipe.fileHandleForWriting }

    var lines: [String] { Self.lines(text.value) }

    /// Begins to read, once the program has been started.
    func begin() throws {
        try pipe.fileHandleForWriting.close()
        pipe.fileHandleForReading.readabilityHandler = { [text] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            text.update { $0 += String(decoding: data, as: UTF8.self) }
        }
    }

    func wait(for line: String) async throws {
        try await wait { $0 == line }
    }

    /// Waits until the last line meets a condition.
    func wait(until condition: (String) -> Bool) async throws {
        try await text.wait(for: "a line") { Self.lines($0).last.map(condition) ?? false }
    }

    /// The lines that are complete.
    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}
