import Foundation
import Testing

/// The folders and files that the articles on the implementation name.
@Suite struct ArticlePathTests {
    @Test(arguments: ["Architecture", "LifeOfARequest"])
    func namedFilesExist(article: String) throws {
        let module = URL(filePath: #filePath).appending(path: "../../../../Sources/StreamsHTTP").standardizedFileURL
        let text = try String(contentsOf: module.appending(path: "StreamsHTTP.docc/\(article).md"), encoding: .utf8)
        let paths = Set(text.matches(of: /[^`]`([A-Z]\w+(\/[\w+]+)+)`(?!`)/).map { String($0.1) })
        #expect(paths.count > 5)
        for path in paths {
            let file = module.appending(path: path).path
            #expect(["", ".swift"].contains { FileManager.default.fileExists(atPath: file + $0) }, "\(path)")
        }
    }
}
