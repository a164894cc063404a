import Foundation
import Streams
import Testing

/// The samples of the article "How Streams works".
@Suite struct HowStreamsWorksSamples {
    @Test("The first sample compiles and runs")
    func runsTheFirstSample() {
        let subject = PassthroughSubject<Int, Never>()
        let cancellable = subject.map { $0 * 2 }.filter { $0 > 2 }.sink { print($0) }
        subject.send(3)
        cancellable.cancel()
    }

    @Test("Each sample is in this file, in the catalogue of operators or in an operator's file")
    func samplesAreInTheSources() throws {
        let samples = try ArticleSamples(of: "Sources/Streams/Streams.docc/HowStreamsWorks.md").samples
        #expect(samples.count == 4)
        let sources = try [
            "Tests/StreamsTests/Documentation/HowStreamsWorksSamples.swift",
            "Sources/Streams/Operators/Transforming/Pairwise.swift",
            "Sources/Streams/Operators/Transforming/ChunkedBy.swift",
            "Tests/StreamsTests/Laws/Harness/OperatorCatalogue.swift",
        ].map { try abridgedSource($0) }
        for (sample, source) in zip(samples, sources) {
            let lines = sample.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(source.contains(lines), "\(sample)")
        }
    }

    /// Returns the lines of a file without what the article omits: comments, attributes, initializers and conformances
    /// of one line.
    private func abridgedSource(_ path: String) throws -> [String] {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
        let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
            .replacing(/@(?:usableFromInline|inlinable|preconcurrency|inline\(__always\))\s*/, with: "")
            .replacing(/\n( +)(?:public )?init\((?s:.*?)\n\1}/, with: "")
            .replacing(/\nextension [^\n]*{}/, with: "")
        return text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("///") }
    }
}
