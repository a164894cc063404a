import Foundation
import Testing

/// A pseudo-terminal: what a program writes to its end can be read here.
final class Terminal: Sendable {
    /// The program's end.
    let end: FileHandle
    private let descriptor: Int32

    init() throws {
        descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(descriptor >= 0)
        let path = try Self.unlock(descriptor)
        end = FileHandle(fileDescriptor: open(path, O_RDWR | O_NOCTTY), closeOnDealloc: true)
    }

    /// Makes the other end usable.
    ///
    /// - Returns: Where it is.
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
