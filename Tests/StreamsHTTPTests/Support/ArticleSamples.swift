import Foundation
import Testing

/// The samples of an article, each of which stands in a file that the compiler and the tests check.
struct ArticleSamples {
    let samples: [String]
    private let root: URL

    /// - Parameters:
    ///   - path: The article, from the root of the package.
    ///   - file: A file in a folder of a test target.
    init(of path: String, filePath file: String = #filePath) throws {
        root = URL(filePath: file).appending(path: "../../../..").standardizedFileURL
        samples = try String(contentsOf: root.appending(path: path), encoding: .utf8)
            .components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
    }

    /// Checks that each sample is in a file, regardless of the indentation.
    func expectAll(in file: String = #filePath) throws {
        try expectAll(in: [URL(filePath: file)])
    }

    /// Checks that each sample is in a file of some folders, regardless of the indentation.
    ///
    /// - Parameter paths: The folders, from the root of the package.
    func expectAll(inFolders paths: [String]) throws {
        let files = try paths.flatMap { path in
            try FileManager.default.contentsOfDirectory(at: root.appending(path: path), includingPropertiesForKeys: nil)
        }
        try expectAll(in: files)
    }

    /// Checks that the only sample is a file of a program, character by character. Without libcurl, the file has
    /// another program, which only says so.
    ///
    /// - Parameters:
    ///   - path: The file, from the root of the package.
    ///   - maxLineCount: The number of lines that the program may have.
    func expectProgram(_ path: String, maxLineCount: Int) throws {
        let branches = try String(contentsOf: root.appending(path: path), encoding: .utf8)
            .replacing("#if canImport(CLibcurl)\n", with: "").split(separator: "#else\n")
        #expect(samples == branches.prefix(1).map(String.init))
        #expect(samples.allSatisfy { $0.count { $0 == "\n" } <= maxLineCount })
    }

    private func expectAll(in files: [URL]) throws {
        let codes = try files.map { Self.unindented(try String(contentsOf: $0, encoding: .utf8)) }
        for sample in samples {
            let sample = Self.unindented(sample)
            #expect(codes.contains { $0.contains(sample) }, "\(sample)")
        }
    }

    private static func unindented(_ text: String) -> String {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
    }
}
