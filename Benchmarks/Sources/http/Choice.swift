import Exchanging

/// What is to be measured.
struct Choice {
    /// Parts of the names of those scenarios that are measured. All are if there are none.
    var names: [String] = []
    var rounds = 5
    /// Where the results are written as JSON.
    var file: String?

    static let usage = "usage: http [NAME...] [--rounds NUMBER] [--json FILE]"

    init(_ arguments: [String]) throws {
        var remaining = arguments[...]
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
