import Foundation

/// The memory of this process, in bytes. For tests in processes of their own.
enum Memory {
    /// The most that was resident since ``resetPeak()``.
    static var peak: Int { field("VmHWM:") }
    /// The resident memory.
    static var resident: Int { field("VmRSS:") }
    /// The resident memory after the allocator has returned what was freed. Otherwise, it keeps as much as chance wants.
    static var inUse: Int {
        typealias Trim = @convention(c) (Int) -> CInt
        if let trim = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(trim, to: Trim.self)(0) }
        return resident
    }

    /// Whether a sanitizer is loaded, which keeps what was freed and multiplies the rest.
    static let isDistorted = ["__asan_init", "__tsan_init"].contains { (name: String) in dlsym(nil, name) != nil }

    /// Starts the peak anew from what is resident.
    static func resetPeak() {
        guard let handle = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return }
        try? handle.write(contentsOf: Data("5".utf8))
    }

    private static func field(_ name: String) -> Int {
        let status = FileManager.default.contents(atPath: "/proc/self/status") ?? Data()
        let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(name) }
        let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
        return (kibibytes ?? 0) * 1024
    }
}
