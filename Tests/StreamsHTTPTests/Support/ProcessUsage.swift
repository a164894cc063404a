import StreamsHTTP

/// What this process holds of the system, as Linux tells it.
enum ProcessUsage {
    static var residentKilobytes: Int { kilobytes("VmRSS:") }

    /// Whether a sanitizer keeps freed memory, so that sizes say nothing.
    static let isSanitized: Bool = {
        guard let data = FileManager.default.contents(atPath: "/proc/self/maps") else { return false }
        let maps = String(decoding: data, as: UTF8.self)
        return maps.contains("libclang_rt.tsan") || maps.contains("libclang_rt.asan") || residentIsShadowed
    }()

    /// Sanitizers that are linked statically show by the address space that they reserve.
    private static var residentIsShadowed: Bool { kilobytes("VmSize:") > 1 << 31 }

    private static func kilobytes(_ name: String) -> Int {
        guard let data = FileManager.default.contents(atPath: "/proc/self/status") else { return 0 }
        let line = String(decoding: data, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
