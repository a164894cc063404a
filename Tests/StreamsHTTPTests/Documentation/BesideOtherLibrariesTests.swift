import Foundation
import Testing

/// The article "Beside other libraries", whose samples and adapters are those of a package that is built separately.
@Suite struct BesideOtherLibrariesTests {
    private static let article = "Sources/StreamsHTTP/StreamsHTTP.docc/BesideOtherLibraries.md"
    private static let sources = "Tests/Fixtures/Integrations/Sources"

    @Test func articleHasTheSamplesThatCompile() throws {
        let article = try ArticleSamples(of: Self.article)
        #expect(article.samples.count == 4)
        try article.expectAll(inFolders: ["\(Self.sources)/Vocabularies", "\(Self.sources)/Integrations"])
    }

    /// Each adapter is short enough to be copied, and the article links it.
    @Test func articleLinksEachAdapter() throws {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
        let article = try String(contentsOf: root.appending(path: Self.article), encoding: .utf8)
        let folder = root.appending(path: "\(Self.sources)/Adapters")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "swift" }
        #expect(files.count == 9)
        for file in files {
            #expect(article.contains("(../../../\(Self.sources)/Adapters/\(file.lastPathComponent))"))
            let lines = try String(contentsOf: file, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count <= 41, "\(file.lastPathComponent)")
            #expect(lines.first?.hasPrefix("// ") == true, "\(file.lastPathComponent)")
        }
    }
}
