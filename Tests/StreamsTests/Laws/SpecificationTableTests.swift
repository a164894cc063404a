import Foundation
import Testing

@Suite("The page on the Reactive Streams specification")
struct SpecificationTableTests {
    private static let rules =
        (1...11).map { "1.\($0)" } + (1...13).map { "2.\($0)" } + (1...17).map { "3.\($0)" }

    @Test("The page lists every rule in order")
    func listsEveryRule() throws {
        #expect(try rows().map(\.rule) == Self.rules)
    }

    @Test("The page names existing tests")
    func namesExistingTests() throws {
        let tests = try Self.tests()
        #expect(tests.count > 300)
        for row in try rows() {
            #expect(!row.tests.isEmpty, "\(row.rule)")
            #expect(Set(row.tests).subtracting(tests) == [], "\(row.rule)")
        }
    }

    private struct Row {
        let rule: String
        let tests: [String]
    }

    private func rows() throws -> [Row] {
        let page = Self.package.appending(path: "Sources/Streams/Streams.docc/ReactiveStreams.md")
        return try String(contentsOf: page, encoding: .utf8).split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, let rule = cells[0].split(separator: " ").first, rule.first?.isNumber == true else {
                return nil
            }
            return Row(
                rule: String(rule), tests: cells[2].split(separator: "`").filter { $0.contains(".") }.map(String.init))
        }
    }

    /// Returns the test functions of the core as `Suite.function`.
    private static func tests() throws -> Set<String> {
        let root = package.appending(path: "Tests/StreamsTests").resolvingSymlinksInPath()
        var result: Set<String> = []
        for file in try FileManager.default.subpathsOfDirectory(atPath: root.path) where file.hasSuffix(".swift") {
            let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
            let suite = file.split(separator: "/").last?.dropLast(".swift".count) ?? ""
            for match in text.matches(of: /@Test[\s\S]*?func (\w+)\(/) { result.insert("\(suite).\(match.output.1)") }
        }
        return result
    }

    private static var package: URL {
        (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    }
}
