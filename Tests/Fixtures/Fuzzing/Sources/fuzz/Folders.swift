import Foundation

/// A folder in memory where possible, which the process has for itself.
let scratch: String = {
    let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory()
    let path = "\(parent)/streams-fuzz-\(getpid())"
    mkdir(path, 0o700)
    atexit { try? FileManager.default.removeItem(atPath: scratch) }
    return path
}()

/// Writes a file that only its owner may read.
func write(_ bytes: [UInt8], to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    expect(count == bytes.count, "\(path) cannot be written")
}
