import Foundation

/// The machine, the system and the compiler of the measurements.
public struct Machine: Codable, Sendable {
    public let processor: String
    public let cores: Int
    public let system: String
    public let compiler: String
    public let date: String

    public static func current() -> Machine {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = .withFullDate
        return Machine(
            processor: field("model name", of: "/proc/cpuinfo", separator: ":") ?? "unknown",
            cores: ProcessInfo.processInfo.activeProcessorCount,
            system: field("PRETTY_NAME", of: "/etc/os-release", separator: "=")
                ?? ProcessInfo.processInfo.operatingSystemVersionString,
            compiler: compilerVersion,
            date: formatter.string(from: Date()))
    }

    private static func field(_ name: String, of file: String, separator: Character) -> String? {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        let value = line?.split(separator: separator, maxSplits: 1).last
        return value?.trimmingCharacters(in: CharacterSet(charactersIn: " \""))
    }

    private static var compilerVersion: String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["swift", "--version"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return "unknown" }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "\n").first.map(String.init) ?? "unknown"
    }
}
