import Foundation
import Testing

@Suite struct ReadmeTests {
    /// The samples are files of this target, so that they are compiled; here they are held to be those in the README.
    @Test(arguments: ["ReadmeSample", "ReadmeClient", "ReadmeMockTests"])
    func theSampleInTheReadmeIsTheOneThatCompiles(name: String) throws {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let root = here.appending(path: "../../..").standardizedFileURL
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let sample = try String(contentsOf: here.appending(path: "\(name).swift"), encoding: .utf8)
        #expect(readme.contains("```swift\n\(sample)```"))
    }
}
