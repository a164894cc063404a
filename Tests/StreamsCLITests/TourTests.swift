import Foundation
import Testing

/// The tour ends well, and shows the code that it runs.
@Suite struct TourTests {
    @Test(arguments: [[], ["tour"]])
    func theTourEndsWellInTime(arguments: [String]) async throws {
        let run = try await Tool(arguments).start().end(within: .seconds(15))
        #expect(run.status == 0, "\(run.text)")
        #expect(run.errors.isEmpty)
        #expect(run.text.contains("10 scenes in "))
        #expect(!run.text.contains("\u{1B}"))
        for number in 1...10 { #expect(run.text.contains("\n\(number)/10  ")) }
    }

    @Test func aSignalDecidesTheExitStatus() async throws {
        let running = try Tool(["tour"]).start()
        // The first line is written when signals are handled.
        _ = try running.output.read(upToCount: 1)
        running.send(SIGTERM)
        #expect(try await running.end().status == 143)
    }

    @Test func theCodeThatIsShownIsTheCodeThatRuns() throws {
        let scenes = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/StreamsCLI/Tour/Scenes").standardizedFileURL
        let files = try FileManager.default.contentsOfDirectory(at: scenes, includingPropertiesForKeys: nil)
        #expect(files.count == 10)
        for file in files {
            let parts = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\"\"\"")
            try #require(parts.count == 3, "\(file.lastPathComponent)")
            let shown = parts[1].split(separator: "\n").dropLast().joined(separator: "\n")
            let code = shown.replacing("\\\\", with: "\\")
            let running = parts[2].split(separator: "\n").joined(separator: "\n")
            #expect(running.contains(code), "\(file.lastPathComponent) shows something else than it runs")
        }
    }
}
