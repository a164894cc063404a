import Testing

extension Trait where Self == ConditionTrait {
    /// Skips a test where a program is missing, unless the environment has `STREAMS_REQUIRE_SERVERS`.
    static func needs(_ programs: Program...) -> Self {
        let missing = programs.filter { $0.path == nil }.map(\.name)
        return .enabled(
            if: missing.isEmpty || Program.areRequired, "not installed: \(missing.joined(separator: ", "))")
    }
}
