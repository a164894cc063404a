/// An error that lists the objects and closures that have not been released.
public struct LeakError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The names of the leaked objects and closures, in alphabetical order.
    public let alive: [String]

    public var description: String { "still alive: \(alive.joined(separator: ", "))" }
}

extension LifetimeTracker {
    /// Asserts that all objects and closures have been released, except those listed.
    ///
    /// ```swift
    /// try lifetimes.expectReleased()                    // throws the names of leaked objects and closures
    /// try lifetimes.expectReleased(except: "upstream")
    /// ```
    ///
    /// - Parameter names: The names of objects and closures that may be alive. A name that occurs twice allows two.
    /// - Throws: ``LeakError`` with the names of all others that are alive.
    public func expectReleased(except names: String...) throws(LeakError) {
        var leaked = alive
        for name in names {
            if let index = leaked.firstIndex(of: name) { leaked.remove(at: index) }
        }
        if !leaked.isEmpty { throw LeakError(alive: leaked) }
    }
}
