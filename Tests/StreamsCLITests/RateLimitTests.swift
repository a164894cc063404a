import Foundation
import StreamsHTTP
import StreamsLoopback
import Testing

@testable import StreamsCLI

/// `--limit-rate`.
@Suite(.serialized) struct RateLimitTests {
    private static let size = 200_000
    /// The time that the bodies take at 100 KiB a second.
    private static let time = Duration.seconds(Double(size) / (100 * 1024))
    /// The bytes of one step pass at once.
    private static let step = Duration.milliseconds(100)

    let server: LoopbackServer
    let folder: Folder

    init() throws {
        server = try LoopbackServer(limits: LoopbackServer.Limits(recording: 1 << 20))
        folder = try Folder()
        server.on("GET", "/x", .generated(Self.size))
    }

    private func run(_ arguments: [String], input: FileHandle = .nullDevice) async throws -> (Tool.Run, Duration) {
        let start = ContinuousClock.now
        let run = try await Tool(arguments + ["--limit-rate", "100k"], input: input).start().end()
        return (run, .now - start)
    }

    // MARK: Transfers

    @Test(arguments: [["-o"], ["download", "-o"]]) func limitsTheBodyOfAResponse(command: [String]) async throws {
        let (run, time) = try await run(command + [folder.path("file"), server.url("/x")])
        #expect(run.status == 0, "\(run.errors)")
        #expect(folder.data(of: "file")?.isGenerated(Self.size) == true)
        #expect(time >= Self.time)
    }

    @Test func limitsEachOfSeveralTransfers() async throws {
        let (run, time) = try await run(
            ["-Z", server.url("/x"), server.url("/x?2"), "-o", folder.path("1"), "-o", folder.path("2")])
        #expect(run.status == 0, "\(run.errors)")
        #expect(folder.data(of: "1")?.isGenerated(Self.size) == true)
        #expect(folder.data(of: "2")?.isGenerated(Self.size) == true)
        #expect(time >= Self.time)
    }

    @Test(arguments: [["-T", "FILE"], ["-T", "-"], ["--data-binary", "@FILE"], ["--data-binary", "@-"]])
    func limitsTheBodyOfARequest(options: [String]) async throws {
        let content = Data(GeneratedBytes.bytes(0..<Self.size))
        try content.write(to: URL(filePath: folder.path("file")))
        server.otherwise { _ in .text("ok") }
        let options = options.map { $0.replacingOccurrences(of: "FILE", with: folder.path("file")) }
        let input = try #require(FileHandle(forReadingAtPath: folder.path("file")))
        let (run, time) = try await run(options + [server.url("/up")], input: input)
        #expect(run.status == 0 && run.text == "ok", "\(run.errors)")
        #expect(server.requests.count == 1)
        #expect(server.requests.first.map { Data($0.body) } == content)
        #expect(time >= Self.time - Self.step)
    }

    @Test func limitsAForm() async throws {
        let content = Data(GeneratedBytes.bytes(0..<Self.size))
        try content.write(to: URL(filePath: folder.path("file")))
        server.otherwise { _ in .text("ok") }
        let (run, time) = try await run(["-F", "a=@\(folder.path("file"))", server.url("/up")])
        #expect(run.status == 0 && run.text == "ok", "\(run.errors)")
        #expect(server.requests.first.map { Data($0.body).range(of: content) != nil } == true)
        #expect(time >= Self.time - Self.step)
    }

    @Test func showsTheProgress() async throws {
        let (run, _) = try await run(["--events", "-o", folder.path("file"), server.url("/x")])
        let events = try run.lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
        let received = events.compactMap { $0?["received"] as? Int }
        #expect(received.count > 5 && received == received.sorted() && received.last == Self.size, "\(received)")
    }

    /// A body takes longer at the rate than the client waits for that of an error by default.
    @Test func waitsForTheBodyOfAnError() throws {
        var arguments = RequestArguments()
        arguments.url = server.url("/x")
        #expect(try arguments.makeRequest().options.timeouts.errorBody == .seconds(5))
        arguments.rateLimit = 1
        #expect(try arguments.makeRequest().options.timeouts.errorBody == nil)
    }

    /// The time of the limit is no silence of the server.
    @Test(arguments: [[], ["-T"]]) func doesNotExpireByItself(options: [String]) async throws {
        server.on("GET", "/large", .generated(20_000_000))
        server.otherwise { _ in .text("ok") }
        try Data(GeneratedBytes.bytes(0..<Self.size)).write(to: URL(filePath: folder.path("file")))
        let upload = options.isEmpty ? [server.url("/large")] : ["-T", folder.path("file"), server.url("/up")]
        let run = try await Tool(
            upload + ["--limit-rate", "1", "--timeout", "0.3", "-m", "1.5", "--events", "-o", folder.path("out")]
        ).start().end()
        #expect(run.status == 28)
        #expect(run.lines.last?.contains(#""kind":"timeout.total""#) == true, "\(run.lines)")
    }

    @Test func endsByASignal() async throws {
        server.on("GET", "/endless", .generated(1 << 40))
        let running = try Tool([server.url("/endless"), "--limit-rate", "1"]).start()
        try await server.waitForBackPressure()
        running.send(SIGTERM)
        let run = try await running.end()
        #expect(run.status == 143)
        #expect(GeneratedBytes.matches(run.output, at: 0))
    }

    @Test func sendsAndReceivesWithoutALimit() async throws {
        let run = try await Tool.run(server.url("/x"), "--limit-rate", "0", "-m", "60")
        #expect(run.status == 0 && run.output.isGenerated(Self.size))
    }

    /// The response is received before it may be delivered.
    @Test func timesIncludeTheLimit() async throws {
        let (run, _) = try await run(["-o", folder.path("file"), "-w", "%{time_total}", server.url("/x")])
        #expect(run.status == 0, "\(run.errors)")
        #expect(try #require(Double(run.text)) >= 1.9)
    }

    // MARK: Values

    @Test(
        arguments: [
            ("0", nil), ("5", 5), ("7b", 7), ("7B", 7), ("5k", 5 << 10), ("5K", 5 << 10), ("3m", 3 << 20),
            ("2G", 2 << 30), ("1t", 1 << 40), ("1P", 1 << 50),
        ] as [(String, Int?)]) func takesSuffixes(text: String, rate: Int?) throws
    {
        #expect(try RateLimit.rate(NamedOption("--limit-rate"), text) == rate)
    }

    @Test(arguments: ["", "k", "1.5m", "5x", "10kb", "-1", "+1", "1e3", "5 k", "99999999P", "99999999999999999999"])
    func refusesOtherValues(text: String) async throws {
        let run = try await Tool.run("http://127.0.0.1:1/", "--limit-rate", text)
        #expect(run.status == 2)
        #expect(run.errors.hasPrefix("streams: --limit-rate "), "\(run.errors)")
    }

    @Test(arguments: ["sse", "lines", "ws"]) func isForTransfersOnly(command: String) async throws {
        let run = try await Tool.run(command, "http://127.0.0.1:1/", "--limit-rate", "1k")
        #expect(run.status == 2)
    }

    // MARK: Times

    private static let start = ContinuousClock.now

    @Test(arguments: [1, 7, 1000, 1_000_000_000]) func keepsTheRate(rate: Int) {
        var pace = Pace(rate: rate, start: Self.start)
        var total: Int64 = 0
        for step in 0..<1000 {
            let now = Self.start + .milliseconds(10 * step)
            let allowance = pace.allowance(at: now)
            total += Int64(allowance)
            pace.pass(Int64(allowance), at: now)
            #expect(Double(total) <= Double(rate) * (Double(step) / 100 + 0.1) + 1)
        }
        #expect(Double(total) >= Double(rate) * 9)
    }

    @Test func doesNotBurstAfterAPause() {
        var pace = Pace(rate: 1000, start: Self.start)
        pace.pass(100, at: Self.start)
        #expect(pace.allowance(at: Self.start) == 0)
        #expect(pace.next == Self.start + .milliseconds(100))
        #expect(pace.allowance(at: pace.next) == 100)
        #expect(pace.allowance(at: Self.start + .seconds(60)) == 200)
        pace.pass(200, at: Self.start + .seconds(60))
        #expect(pace.allowance(at: Self.start + .seconds(60)) == 0)
    }

    @Test(arguments: [1, 4]) func deliversTheEventsInOrder(expansion: Int) {
        let content = Data(GeneratedBytes.bytes(0..<(1000 * expansion)))
        var events = PacedEvents(pace: Pace(rate: 1000, start: Self.start))
        let half = content.count / 2
        let begins = [
            events.append(.chunk(content.prefix(half), received: 500)),
            events.append(.chunk(content.dropFirst(half), received: 1000)), events.append(.finished),
        ]
        #expect(begins == [true, false, false])
        var now = Self.start
        var delivered = Data()
        var received: [Int64] = []
        loop: while true {
            switch events.next(at: now) {
            case .event(.chunk(let chunk, let count)):
                delivered += chunk
                received.append(count)
            case .event: break loop
            case .wait(let time):
                #expect(time > now)
                now = time
                let isResumed = events.resume()
                #expect(isResumed)
            case nil:
                Issue.record("an event is missing")
                break loop
            }
        }
        #expect(delivered == content)
        #expect(received == (1...10).map { $0 * 100 })
        #expect(now == Self.start + .seconds(1))
        if events.next(at: now) != nil { Issue.record("an event is left") }
    }

    @Test func deliversNothingOnceStopped() {
        var events = PacedEvents(pace: Pace(rate: 1, start: Self.start))
        let begins = events.append(.finished)
        let rest = events.stop()
        #expect(begins && rest.count == 1)
        if events.next(at: Self.start) != nil { Issue.record("an event is left") }
        let goesOn = events.append(.finished) || events.resume()
        #expect(!goesOn)
    }
}
