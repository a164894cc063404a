import Dispatch

/// Runs a closure on several threads at once, with the number of each, and waits for all of them.
func concurrently(_ count: Int, _ body: @Sendable (Int) -> Void) {
    DispatchQueue.concurrentPerform(iterations: count, execute: body)
}
