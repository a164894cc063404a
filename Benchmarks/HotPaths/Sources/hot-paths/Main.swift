import Measuring
import PipelinesOfStreams

/// Runs each hot path once with so many units and once with twice as many, and prints what it asked the heap for.
///
/// A profiler that watches tells the two runs apart by the functions that begin and end the counting of allocations.
/// Arguments are parts of the names of those paths that are run; without any, all are.
@main
struct HotPaths {
    static func main() throws {
        let names = CommandLine.arguments.dropFirst()
        for path in try chosenPipelines() + operatorPaths + requestPaths + exchangePaths {
            guard names.isEmpty || names.contains(where: { path.name.contains($0) }) else { continue }
            // Requests and snapshots take longer by far.
            let units = [.request, .snapshot].contains(path.unit) ? 200 : 2_000
            // What is made at the first use, once and for all, does not count.
            _ = path.run(units)
            let once = Allocations.count { _ = path.run(units) }
            let twice = Allocations.count { _ = path.run(units * 2) }
            print("\(path.name), \(path.unit)", units, once, twice, separator: "\t")
        }
    }

    /// Those of the benchmarks' pipelines where one thread does all the work, and always the same.
    private static func chosenPipelines() throws -> [Pipeline] {
        try [
            "sequence.map.filter.sink",
            "sequence.compactMap.scan.removeDuplicates.sink",
            "sequence, 20 operators deep",
            "sequence, 20 operators deep, erased at each",
            "passthrough.map.filter.sink",
            "current.map.filter.sink",
            "subject, 20 operators deep",
            "subject.zip(subject)",
            "subject.combineLatest(subject)",
            "subject.merge(with: subject)",
            "flatMap to one value",
            "flatMap to ten values",
            "map.switchToLatest",
            "subject.buffer.sink",
            "retry, every fourth attempt succeeds",
            "subscribe, cancel: passthrough.map.filter.sink",
            "subscribe: just.map.filter.sink",
            "composite: readings of sensors",
        ].map { name in
            guard let pipeline = pipelines.first(where: { $0.name == name }) else { throw MissingPipeline(name: name) }
            return pipeline
        }
    }
}

private struct MissingPipeline: Error {
    let name: String
}
