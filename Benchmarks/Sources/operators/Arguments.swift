/// The measurements that the command line selects.
struct Arguments {
    /// Parts of the names of the pipelines to measure; all if empty.
    var names: [String] = []
    var rounds = 15
    /// The path of the file for the results as JSON.
    var file: String?
    /// The side to run alone, for a profiler.
    var profiledSide: String?

    static let usage = """
        usage: operators [NAME...] [--rounds NUMBER] [--json FILE] [--profile SIDE]
        """

    init(_ arguments: some Sequence<String>) throws {
        var remaining = Array(arguments)[...]
        while let argument = remaining.popFirst() {
            switch argument {
            case "--rounds": rounds = try Int(Self.value(of: argument, in: &remaining)) ?? rounds
            case "--json": file = try Self.value(of: argument, in: &remaining)
            case "--profile": profiledSide = try Self.value(of: argument, in: &remaining)
            case _ where argument.hasPrefix("--"): throw Complaint(Self.usage)
            default: names.append(argument)
            }
        }
    }

    func includes(_ name: String) -> Bool {
        names.isEmpty || names.contains { name.contains($0) }
    }

    private static func value(of option: String, in arguments: inout ArraySlice<String>) throws -> String {
        guard let value = arguments.popFirst() else { throw Complaint("\(option) needs a value\n\(usage)") }
        return value
    }
}

/// An error of the command line, described for the user.
struct Complaint: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
