import Exchanging

/// The measurements that the command line selects.
struct Choice {
    /// Whether feeds are measured, instead of requests.
    var isOfFeeds = false
    /// Parts of the names of the scenarios to measure; all if empty.
    var names: [String] = []
    var rounds = 5
    /// The path of the file for the results as JSON.
    var file: String?

    static let usage = "usage: http [feeds] [NAME...] [--rounds NUMBER] [--json FILE]"

    init(_ arguments: [String]) throws {
        var remaining = arguments[...]
        if remaining.first == "feeds" {
            isOfFeeds = true
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

    func includes(_ name: String) -> Bool {
        names.isEmpty || names.contains { name.contains($0) }
    }
}
