import Foundation
import Testing

@Suite struct ReadmeTests {
    /// The sample is a file of this target, so that it is compiled; here it is held to be the one in the README.
    @Test func theSampleInTheReadmeIsTheOneThatCompiles() throws {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let root = here.appending(path: "../../..").standardizedFileURL
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let sample = try String(contentsOf: here.appending(path: "ReadmeSample.swift"), encoding: .utf8)
        #expect(readme.contains("```swift\n\(sample)```"))
    }
}
