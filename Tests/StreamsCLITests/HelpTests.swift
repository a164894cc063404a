import Foundation
import Testing

@testable import StreamsCLI

/// The help of all commands and of each, and the table that it is made from.
@Suite struct HelpTests {
    private static let article = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/StreamsHTTP/StreamsHTTP.docc/CommandLineTool.md").standardizedFileURL

    private static var names: [String] { Option.allCases.flatMap(\.entry.names) }

    /// Returns the names of options at the starts of rows.
    private static func listedNames(in help: String) -> Set<String> {
        let rows = help.split(separator: "\n").filter { $0.hasPrefix("  -") }
        return Set(
            rows.flatMap { row in row.split { " ,".contains($0) }.prefix { $0.hasPrefix("-") }.map(String.init) })
    }

    @Test func optionsHaveDistinctNames() {
        #expect(Set(Self.names).count == Self.names.count)
    }

    @Test func helpAndArticleListEveryOption() throws {
        #expect(Self.listedNames(in: Help.text) == Set(Self.names))
        let article = try String(contentsOf: Self.article, encoding: .utf8)
        #expect(Set(Self.names).subtracting(article.split { " \n,`|".contains($0) }.map(String.init)).isEmpty)
    }

    @Test(arguments: Command.allCases)
    func commandListsItsOptionsAndNoOther(command: Command) {
        guard command != .request else { return }
        let options = Option.allCases.filter { $0.commands.contains(command) }
        #expect(Self.listedNames(in: Help.text(of: command)) == Set(options.flatMap(\.entry.names)))
    }

    @Test(arguments: [
        ("sse", "--last-event-id ID"), ("lines", "--cursor NAME=MEMBER"), ("poll", "--reconnect-delay S"),
        ("ws", "--reconnect-delay S"), ("download", "--checksum sha256:HEX"),
    ])
    func commandListsItsOwnOptionsFirst(word: String, label: String) throws {
        let command = try #require(Command(word: word))
        let parts = Help.text(of: command).components(separatedBy: "\n\n")
        #expect(parts[0] == "Usage: \(command.synopsis)")
        #expect(parts[2].hasPrefix("Examples\n  "))
        #expect(parts[3].hasPrefix("Options of streams \(word)\n  \(label) "))
        #expect(parts[4].hasPrefix("Request\n  --url URL "))
    }

    @Test func linesFitTheWidth() {
        for text in [Help.text] + Command.allCases.map({ Help.text(of: $0) }) {
            #expect(text.split(separator: "\n").filter { $0.count > TextColumns.width } == [])
        }
    }

    @Test(arguments: [
        ["ws", "--help"], ["--help", "ws"], ["ws", "-v", "-h"], ["-h", "-v", "ws"], ["-o", "sse", "ws", "-sh"],
        ["ws", "http://127.0.0.1:1/", "--help", "--bogus"],
    ])
    func describesCommandAnywhere(words: [String]) async throws {
        let run = try await Tool(words).start().end()
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.text == Help.text(of: .webSocket))
    }

    @Test(arguments: [
        ["-h"], ["--help", "sses"], ["GET", "--help"], ["-d", "ws", "--help"], ["--help", "-d", "ws"],
    ])
    func describesAllWithoutCommand(words: [String]) async throws {
        let run = try await Tool(words).start().end()
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.text == Help.text)
    }

    @Test func tourHasNoOptions() {
        #expect(Help.text(of: .tour).hasPrefix("Usage: streams tour\n"))
        #expect(Self.listedNames(in: Help.text(of: .tour)).isEmpty)
    }

    @Test func helpAndArticleListEveryStatus() throws {
        let article = try String(contentsOf: Self.article, encoding: .utf8)
        let rows = article.split(separator: "\n").filter {
            $0.hasPrefix("| ") && $0.dropFirst(2).first?.isNumber == true
        }
        let inArticle = Set(rows.flatMap { $0.split(separator: "|")[0].split { ", ".contains($0) }.map(String.init) })
        let numbers = ExitStatus.meanings.map(\.status.rawValue)
        #expect(numbers == numbers.sorted())
        let words = Set(Help.text.split { " \n,".contains($0) }.map(String.init))
        for number in numbers {
            #expect(inArticle.contains(String(number)))
            #expect(words.contains(String(number)))
        }
        for command in Command.allCases {
            #expect(Set(command.exitStatuses).isSubset(of: ExitStatus.meanings.map(\.status)))
        }
    }

    @Test func refusesValueOfHelp() async throws {
        let run = try await Tool.run("--help=ws")
        #expect(run.status == 2)
        #expect(run.errors == "streams: --help takes no value. See streams --help.\n")
    }
}
