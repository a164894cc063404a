import Foundation
import Measuring
import PipelinesByHand
import PipelinesOfAsyncAlgorithms
import PipelinesOfOpenCombine
import PipelinesOfStreams

/// Compares operators with those of other libraries, which are measured alternately.
@main
struct Operators {
    static func main() {
        do {
            try run()
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private static func run() throws {
        let arguments = try Arguments(CommandLine.arguments.dropFirst())
        let chosen = PipelinesOfStreams.pipelines.filter { arguments.includes($0.name) }
        if let side = arguments.profiledSide {
            try profile(chosen.map(\.name), of: side, times: arguments.rounds)
            return
        }
        show(Report.heading)
        var comparisons: [Comparison] = []
        for pipeline in chosen {
            let peers = sides.dropFirst().compactMap { side in
                side.pipelines.first { $0.name == pipeline.name }.map { (name: side.name, pipeline: $0) }
            }
            let comparison = Comparer(rounds: arguments.rounds).compare(pipeline, of: sides[0].name, with: peers)
            show(Report.line(of: comparison))
            comparisons.append(comparison)
        }
        let memory = arguments.includes(MemoryComparison.name) ? MemoryComparison.measure() : nil
        show(Report.summary(of: comparisons, memory: memory))
        if let file = arguments.file {
            let results = Results(machine: .current(), comparisons: comparisons, memory: memory)
            try results.write(to: file)
        }
        if comparisons.contains(where: { !$0.disagreeing.isEmpty }) { throw Complaint("checksums differ") }
    }

    static let sides: [(name: String, pipelines: [Pipeline])] = [
        ("Streams", PipelinesOfStreams.pipelines),
        ("OpenCombine", PipelinesOfOpenCombine.pipelines),
        ("AsyncAlgorithms", asyncSequences),
        ("loop", loops),
    ]

    /// Prints a line without buffering.
    private static func show(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    /// Runs the pipelines of one side only, for a profiler.
    private static func profile(_ names: [String], of side: String, times: Int) throws {
        guard let pipelines = sides.first(where: { $0.name == side })?.pipelines else {
            throw Complaint("there is no side \(side)")
        }
        for pipeline in pipelines where names.contains(pipeline.name) {
            for _ in 0..<times { _ = pipeline.run(pipeline.count) }
        }
    }
}
