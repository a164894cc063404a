/// Something is still there that a test has let go of.
public struct LeakError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The names of what is still there, in alphabetical order.
    public let alive: [String]

    public var description: String { "still alive: \(alive.joined(separator: ", "))" }
}

extension LifetimeTracker {
    /// Asserts that everything has been released but what is listed.
    ///
    /// ```swift
    /// try lifetimes.expectReleased()                    // a leak fails the test with the names of what leaked
    /// try lifetimes.expectReleased(except: "upstream")
    /// ```
    ///
    /// - Parameter names: What may still be there, each as often as it is listed.
    /// - Throws: ``LeakError`` with everything else that is.
    public func expectReleased(except names: String...) throws(LeakError) {
        var leaked = alive
        for name in names {
            if let index = leaked.firstIndex(of: name) { leaked.remove(at: index) }
        }
        if !leaked.isEmpty { throw LeakError(alive: leaked) }
    }
}
