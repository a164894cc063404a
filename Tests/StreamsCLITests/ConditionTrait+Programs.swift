import Foundation
import Testing

extension Trait where Self == ConditionTrait {
    /// Skips a test where a program is missing, unless the environment has `STREAMS_REQUIRE_SERVERS`.
    static func needs(_ program: String) -> Self {
        let environment = ProcessInfo.processInfo.environment
        let isInstalled = (environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
        }
        return .enabled(
            if: isInstalled || environment["STREAMS_REQUIRE_SERVERS"] != nil, "\(program) is not installed")
    }
}
