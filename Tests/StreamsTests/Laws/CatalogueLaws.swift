import Foundation
import Testing

@Suite("The catalogue of operators")
struct CatalogueLaws {
    /// The operators that the laws do not test themselves, each with the reason.
    private static let exempt = [
        "asyncFlatMap(maxConcurrent:_:)": "flatMap of Operators.AsyncSequence, on the executor of its tasks",
        "breakpointOnError()":
            "breakpoint(receiveSubscription:receiveOutput:receiveCompletion:), which stops the program at a failure",
        "bufferedValues(size:whenFull:)": "values with a bounded buffer, from one subscription",
        "distinct(maxKeys:)": "distinct(by:maxKeys:) with each value as its key",
        "ignoreOutput()": "delivers no value; its own tests cover demand, cancellation and completion",
        "onBackpressureError(_:)":
            "onBackpressureBuffer(limit:whenFull:) that fails when the buffer is full",
        "output(at:)": "output(in:) with a single index",
        "receiveOnMainActor()": "receive(on:options:) with the main queue",
        "removeDuplicates()": "removeDuplicates(by:) with ==",
        "sink(on:receiveCompletion:receiveValue:)": "the end of a stream: values in a task, with closures on an actor",
        "sink(on:receiveValue:)": "sink(on:receiveCompletion:receiveValue:) of a publisher that cannot fail",
        "sinkOnMainActor(receiveCompletion:receiveValue:)": "receiveOnMainActor() with a sink",
        "sinkOnMainActor(receiveValue:)":
            "sinkOnMainActor(receiveCompletion:receiveValue:) of a publisher that cannot fail",
        "values(buffering:)": "onBackpressureBuffer(limit:whenFull:) as an asynchronous sequence",
    ]

    @Test("Every public operator is in a catalogue or is exempt for a reason")
    func containsEveryPublicOperator() throws {
        let operators = try OperatorSources.signatures()
        #expect(operators.count > 100)
        let cases = OperatorCase.all.map(\.name) + ReductionCase.all.map(\.operatorName)
        let covered = Set(cases.flatMap { $0.components(separatedBy: ", ") })
        #expect(operators.subtracting(covered).subtracting(Self.exempt.keys) == [])
        #expect(covered.intersection(Self.exempt.keys) == [], "exempt, but in a catalogue")
        #expect(Set(Self.exempt.keys).subtracting(operators) == [], "exempt, but not an operator")
    }

    @Test("No case occurs twice")
    func containsEachCaseOnce() {
        let names = OperatorCase.all.map(\.name)
        #expect(Set(names).count == names.count)
    }

    @Test("Every law of each operator can be applied to the operators of other modules")
    func listsEveryLaw() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        var laws: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /@Test[\s\S]*?func (\w+)\((?:_ operatorCase: (OperatorCase))?/)
            where match.output.2 != nil {
                laws.insert("\(file.deletingPathExtension().lastPathComponent).\(match.output.1)")
            }
        }
        #expect(laws.count > 40)
        #expect(Set(Law.all.map(\.name)) == laws)
    }

    @Test("Signatures are read in the notation of the documentation")
    func readsSignatures() {
        let text = """
            extension Publisher where Output: Sendable {
                public func one<P: Publisher>(_ other: P, by: Dictionary<Int, Int>) -> Publishers.One<Self, P>
                public func two(
                    every interval: (Int, Int) -> Bool = { _, _ in true }, _ last: Int
                ) {}
                public func `three`() {}
                func hidden() {}
            }
            extension Publishers.One {
                public func chained() {}
            }
            """
        #expect(OperatorSources.signatures(in: text) == ["one(_:by:)", "two(every:_:)", "three()"])
    }
}

/// A reader of the operators that the sources declare.
private enum OperatorSources {
    static func signatures() throws -> Set<String> {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        var result: Set<String> = []
        for folder in ["Async", "Diagnostics", "Forms", "Operators"] {
            let root = package.appending(path: "Sources/Streams/\(folder)").resolvingSymlinksInPath()
            let files = try FileManager.default.subpathsOfDirectory(atPath: root.path)
            for file in files where file.hasSuffix(".swift") {
                result.formUnion(signatures(in: try String(contentsOf: root.appending(path: file), encoding: .utf8)))
            }
        }
        return result
    }

    /// Returns the public methods of extensions of `Collection` and of the protocols of publishers.
    static func signatures(in text: String) -> Set<String> {
        let lines = text.components(separatedBy: "\n")
        var result: Set<String> = []
        var isOperator = false
        for (index, line) in lines.enumerated() {
            if line.hasPrefix("public ") { isOperator = false }
            if line.hasPrefix("extension ") {
                let extended = line.split(separator: " ")[1].description
                isOperator = ["Publisher", "ConnectablePublisher", "Collection", "Operators.MergingPublisher"]
                    .contains(extended)
            }
            guard isOperator, let start = line.range(of: "    public func ")?.upperBound else { continue }
            let declaration = ([line[start...]] + lines[(index + 1)...].map { $0[...] }).joined(separator: " ")
            result.insert(signature(of: declaration))
        }
        return result
    }

    private static func signature(of declaration: String) -> String {
        let name = declaration.prefix { $0.isLetter || $0.isNumber || $0 == "`" }.filter { $0 != "`" }
        var labels: [Substring] = []
        var parameter = ""
        var depth = 0
        var last: Character = " "
        for character in declaration.drop(while: { $0 != "(" }) {
            if ")]}".contains(character) || (character == ">" && last != "-") { depth -= 1 }
            if depth == 0 || (depth == 1 && character == ","), let label = parameter.split(separator: " ").first {
                labels.append(label.prefix { $0 != ":" })
                parameter = ""
            } else if depth > 0 {
                parameter.append(character)
            }
            if depth == 0, character == ")" { break }
            if "([{<".contains(character) { depth += 1 }
            last = character
        }
        return "\(name)(\(labels.map { "\($0):" }.joined()))"
    }
}
