import Foundation
import StreamsHTTP
import StreamsLoopback
import Testing

@testable import StreamsCLI

/// Progress on standard error, and its words.
@Suite(.serialized) struct ProgressTests {
    @Test func nobodyWatchesALog() async throws {
        let server = try LoopbackServer()
        // Long enough for more than one line of a log.
        let body = Reply.Body([.generated(1000), .pause(.milliseconds(1200)), .generated(1000)])
        server.on("GET", "/", Reply(body: body))
        async let run = Tool.run(server.url(), "-o", "/dev/null")
        async let quiet = Tool.run(server.url(), "-o", "/dev/null", "--progress", "never")
        #expect(try await run.errors.isEmpty)
        #expect(try await quiet.errors.isEmpty)
    }

    @Test func alwaysIsAlways() async throws {
        let server = try LoopbackServer()
        server.on("PUT", "/", .generated(1 << 20))
        let run = try await Tool.run("PUT", server.url(), "-d", "12345", "-o", "/dev/null", "--progress=always")
        let lines = run.errors.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("upload: 5 B in ") == true)
        #expect(lines.last?.hasPrefix("download: 1.0 MiB in ") == true)
        #expect(!run.errors.contains("\u{1B}"))
        #expect(!run.errors.contains("\r"))
    }

    @Test func aLogGetsALineNowAndThen() async throws {
        let server = try LoopbackServer()
        let gate = Gate()
        let body = Reply.Body([.generated(500_000), .hold(gate), .generated(500_000)])
        server.on("GET", "/", Reply(body: body))
        let running = try Tool([server.url(), "-o", "/dev/null", "--progress", "always", "--max-time", "200"]).start()
        let line = "download: 50%, 488 KiB of 977 KiB"
        let first = await Running.onThread { [errors = running.errors] in errors.read { $0.contains(line) } }
        #expect(first.contains(line))
        gate.open()
        let run = try await running.end()
        #expect(run.errors.contains("download: 977 KiB in "))
    }

    @Test func aTerminalGetsABarThatIsRedrawn() async throws {
        let server = try LoopbackServer()
        let gate = Gate()
        server.on("GET", "/", Reply(body: Reply.Body([.generated(500_000), .hold(gate), .generated(500_000)])))
        let terminal = try Terminal()
        let running = try Tool(
            [server.url(), "-o", "/dev/null", "--max-time", "200"], errors: terminal.end, environment: ["TERM": "xterm"]
        ).start()
        let redrawing = "\r\u{1B}[Kdownload  50% ["
        let redrawn = await Running.onThread { terminal.read { $0.components(separatedBy: redrawing).count > 2 } }
        #expect(redrawn.contains("488 KiB of 977 KiB"))
        gate.open()
        #expect(try await running.end().status == 0)
        let rest = await Running.onThread { terminal.read { $0.contains("\n") } }
        #expect((redrawn + rest).contains("\r\u{1B}[Kdownload: 977 KiB in "))
    }

    @Test func aBarFitsItsTerminal() {
        let progress = TransferProgress(completed: 44 << 20, total: 105 << 20)
        let text = ProgressText(
            label: "download", progress: progress, rate: 12.34 * 1_048_576, left: .seconds(4.94), elapsed: .seconds(4))
        let wide = text.bar(width: 80)
        #expect(wide == "download  41% [=======>         ]  44.0 MiB of 105 MiB  12.3 MiB/s  0:05 left")
        for width in -2...120 { #expect(text.bar(width: width).count <= max(width - 1, 0)) }
        #expect(text.logLine == "download: 41%, 44.0 MiB of 105 MiB, 12.3 MiB/s, 0:05 left")
        #expect(text.summary == "download: 44.0 MiB in 4.0 s, 11.0 MiB/s")
    }

    @Test func whatIsUnknownIsNotSaid() {
        let progress = TransferProgress(completed: 1000, total: nil)
        let text = ProgressText(label: "download", progress: progress, rate: nil, left: nil, elapsed: .zero)
        #expect(text.bar(width: 80) == "download  1000 B")
        #expect(text.bar(width: 0).isEmpty)
    }

    @Test(arguments: [
        (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (102_348, "99.9 KiB"), (1_048_575, "1.0 MiB"),
        (1_073_741_824, "1.0 GiB"), (Int64.max, "8388608 TiB"),
    ])
    func bytesReadWell(bytes: Int64, text: String) {
        #expect(ByteCount(bytes).description == text)
    }

    @Test(arguments: [Duration.zero, .seconds(360_000)]) func aTimeThatIsNoInformationIsNotSaid(left: Duration) {
        let progress = TransferProgress(completed: 1000, total: 2000)
        let text = ProgressText(label: "download", progress: progress, rate: 1, left: left, elapsed: .zero)
        #expect(!text.logLine.contains("left"))
    }
}
