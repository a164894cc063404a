import Foundation
import Streams
import Synchronization
import Testing

/// An object that counts its release.
final class ReleaseToken: Sendable {
    private let releases: Counter

    init(_ releases: Counter) {
        self.releases = releases
    }

    deinit {
        releases.increment()
    }
}

/// Runs work on a thread with 512 KiB of stack and waits for it. The thread overflows if the work recurses.
func onSmallStack(_ work: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        work()
        done.signal()
    }
    thread.stackSize = 512 * 1024
    thread.start()
    #expect(done.wait(timeout: .now() + 120) == .success, "the work does not end")
}

/// Runs work on as many threads at once, and waits for them.
func onThreads(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) {
    let done = DispatchGroup()
    for index in 0..<count {
        done.enter()
        let thread = Thread {
            work(index)
            done.leave()
        }
        thread.start()
    }
    #expect(done.wait(timeout: .now() + 120) == .success, "the threads do not end")
}
