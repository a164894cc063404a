import Foundation
import Testing

/// The article "Generated clients", whose samples and adapters are those of a package that is built separately.
@Suite struct GeneratedClientsTests {
    private static let article = "Sources/StreamsHTTP/StreamsHTTP.docc/GeneratedClients.md"
    private static let sources = "Tests/Fixtures/Integrations/Sources"

    @Test func articleHasTheSamplesThatCompile() throws {
        let article = try ArticleSamples(of: Self.article)
        #expect(article.samples.count == 2)
        try article.expectAll(inFolders: ["\(Self.sources)/Integrations"])
    }

    /// The article links the files of each adapter, which are short enough to be copied.
    @Test(arguments: ["OpenAPI": 80, "Soto": 80, "Smithy": 100])
    func articleLinksFilesOfAdapter(name: String, maxLines: Int) throws {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
        let article = try String(contentsOf: root.appending(path: Self.article), encoding: .utf8)
        let folder = root.appending(path: "\(Self.sources)/Adapters/GeneratedClients")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.lastPathComponent.hasPrefix(name) }
        #expect(!files.isEmpty)
        var count = 0
        for file in files {
            let path = "../../../\(Self.sources)/Adapters/GeneratedClients/\(file.lastPathComponent)"
            #expect(article.contains("(\(path))"), "\(path)")
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            #expect(lines.first?.hasPrefix("// ") == true, "\(path)")
            count += lines.count
        }
        #expect(count <= maxLines)
    }
}
