import Foundation
import Synchronization
import Testing

/// A pseudo-terminal: what a program writes to its end can be read here.
final class Terminal: Sendable {
    /// The program's end.
    let end: FileHandle
    private let descriptor: Int32
    private let output = Mutex("")

    init() throws {
        descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(descriptor >= 0)
        let path = try Self.unlock(descriptor)
        end = FileHandle(fileDescriptor: open(path, O_RDWR | O_NOCTTY), closeOnDealloc: true)
    }

    /// Makes the other end usable.
    ///
    /// - Returns: Its path.
    private static func unlock(_ descriptor: Int32) throws -> String {
        #if os(Linux)
        // What unlockpt and ptsname do; the C library declares them only to programs that ask for more than C.
        var (lock, number): (Int32, Int32) = (0, 0)
        let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
        try #require(ioctl(descriptor, setLock, &lock) == 0 && ioctl(descriptor, getNumber, &number) == 0)
        return "/dev/pts/\(number)"
        #else
        try #require(grantpt(descriptor) == 0 && unlockpt(descriptor) == 0)
        return String(cString: try #require(ptsname(descriptor)))
        #endif
    }

    deinit {
        close(descriptor)
    }

    /// Reads until what came since the call meets a condition, or nothing has come for ten seconds.
    func read(until condition: (String) -> Bool) -> String {
        FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).read(until: condition)
    }

    /// Types a text.
    func type(_ text: String) throws {
        try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: Data(text.utf8))
    }

    /// Reads until the screen shows these lines, or nothing has come for ten seconds.
    ///
    /// - Returns: The lines that it shows.
    func screen(until lines: [String]) async -> [String] {
        let earlier = output.withLock { $0 }
        let text = await Running.onThread { [self] in
            Self.lines(after: earlier) == lines ? "" : read { Self.lines(after: earlier + $0) == lines }
        }
        return Self.lines(
            after: output.withLock { output in
                output += text
                return output
            })
    }

    /// Returns the lines that a terminal shows after a text with line breaks, carriage returns, and erasures (`ESC [ K`).
    private static func lines(after text: String) -> [String] {
        var lines: [[Unicode.Scalar]] = [[]]
        var column = 0
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            let row = lines.count - 1
            switch scalar {
            case "\r": column = 0
            case "\n": lines.append([])
            case "\u{1B}":
                rest = rest.dropFirst(2)
                lines[row].removeSubrange(min(column, lines[row].count)...)
            default:
                lines[row].replaceSubrange(column..<min(column + 1, lines[row].count), with: [scalar])
                column += 1
            }
        }
        return lines.map { line in String(String.UnicodeScalarView(line)) }
    }
}

extension FileHandle {
    /// Reads until what came since the call meets a condition, or nothing has come for ten seconds.
    func read(until condition: (String) -> Bool) -> String {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4096)
        var readable = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
        while !condition(text), poll(&readable, 1, 10_000) == 1 {
            let count = Foundation.read(fileDescriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            text += String(decoding: buffer.prefix(count), as: UTF8.self)
        }
        return text
    }
}
