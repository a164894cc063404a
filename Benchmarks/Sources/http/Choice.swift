import Exchanging

/// The measurements that the command line selects.
struct Choice {
    enum Subject: String {
        case requests
        case feeds
        case cache
    }

    var subject = Subject.requests
    /// Parts of the names of the scenarios to measure; all if empty.
    var names: [String] = []
    var rounds = 5
    /// The path of the file for the results as JSON.
    var file: String?

    static let usage = "usage: http [feeds|cache] [NAME...] [--rounds NUMBER] [--json FILE]"

    init(_ arguments: [String]) throws {
        var remaining = arguments[...]
        if let subject = remaining.first.flatMap(Subject.init) {
            self.subject = subject
            remaining.removeFirst()
        }
        while let argument = remaining.popFirst() {
            guard argument.hasPrefix("--") else {
                names.append(argument)
                continue
            }
            guard let value = remaining.popFirst() else { throw ExchangeFailure(Self.usage) }
            switch argument {
            case "--rounds": rounds = Int(value) ?? rounds
            case "--json": file = value
            default: throw ExchangeFailure(Self.usage)
            }
        }
    }

    var scenarios: [Scenario] {
        switch subject {
        case .requests: Scenario.requests
        case .feeds: Scenario.feeds
        case .cache: Scenario.cache
        }
    }

    func includes(_ name: String) -> Bool {
        names.isEmpty || names.contains { name.contains($0) }
    }
}
