import Foundation
import Testing

/// The article "Examples" lists the programs of the fixtures, and the programs that it lists exist.
@Suite struct ExamplesTests {
    private let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL

    private func listedFolders() throws -> [String] {
        let article = root.appending(path: "Sources/StreamsHTTP/StreamsHTTP.docc/Examples.md")
        return try String(contentsOf: article, encoding: .utf8).matches(of: /\n\| `([^`]+)`/).map { String($0.1) }
    }

    @Test func listedFoldersExist() throws {
        let folders = try listedFolders()
        #expect(folders.count > 6)
        for folder in folders {
            #expect(FileManager.default.fileExists(atPath: root.appending(path: folder).path), "\(folder)")
        }
    }

    /// Misuse does not compile, and neither fuzzing, nor a file for Combine, nor data is an example.
    @Test func listsEachFixture() throws {
        let fixtures = try FileManager.default.contentsOfDirectory(
            atPath: root.appending(path: "Tests/Fixtures").path)
        let listed = try listedFolders().filter { $0.hasPrefix("Tests/Fixtures/") }
        let examples = Set(fixtures).subtracting(["Misuse", "Fuzzing", "Combine", "CacheCases"])
        #expect(listed.sorted() == examples.map { "Tests/Fixtures/\($0)" }.sorted())
    }
}
