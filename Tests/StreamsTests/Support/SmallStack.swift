import Foundation

/// A thread on which recursion shows.
enum SmallStack {
    static let size = 512 * 1024

    /// Runs work on a thread with 512 KiB of stack, and waits for its end.
    static func run(_ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            let thread = Thread {
                work()
                continuation.resume()
            }
            thread.stackSize = size
            thread.start()
        }
    }
}
