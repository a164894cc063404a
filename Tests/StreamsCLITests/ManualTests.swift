import Foundation
import Testing

@testable import StreamsCLI

/// The manual page.
@Suite struct ManualTests {
    private static func manual(in folder: Folder) async throws -> String {
        let run = try await Tool.run("--generate-manual")
        #expect(run.status == 0, "\(run.errors)")
        return try folder.write(run.text, to: "streams.1")
    }

    @Test(.needs("mandoc")) func isCleanAndDescribesEveryOption() async throws {
        let folder = try Folder()
        let path = try await Self.manual(in: folder)
        let lint = try await Tool(["-T", "lint", "-W", "warning", path], command: ["/usr/bin/env", "mandoc"]).start()
            .end()
        #expect(lint.status == 0)
        #expect(lint.text.isEmpty)
        let page = try await Tool(["-T", "utf8", "-O", "width=110", path], command: ["/usr/bin/env", "mandoc"])
            .start().end().text.replacing(/.\u{8}/, with: "")
        for option in Option.allCases {
            #expect(page.contains("\n       \(option.entry.label)"))
        }
        for (status, _) in ExitStatus.meanings { #expect(page.contains("\n       \(status.rawValue) ")) }
        for example in Command.allCases.flatMap(\.examples) { #expect(page.contains("\n       \(example)\n")) }
    }

    @Test func datesItselfByDay() {
        #expect(Manual.text(at: 86_400).hasPrefix(".TH STREAMS 1 1970-01-02 "))
    }
}
