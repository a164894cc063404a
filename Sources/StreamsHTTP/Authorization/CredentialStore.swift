/// Keeps credentials under names.
public protocol CredentialStore: Sendable {
    /// The credential under a name; `nil` where there is none. Callable from any thread.
    func credential(for key: String) throws -> String?

    /// Sets credentials, and removes those that are `nil`: all of them or none. Callable from any thread.
    func update(_ changes: [String: String?]) throws
}

/// Keeps credentials for as long as somebody keeps the store.
public final class InMemoryCredentialStore: CredentialStore {
    private let credentials: Locked<[String: String]>

    /// - Parameter credentials: What the store has at first, by key.
    public init(_ credentials: [String: String] = [:]) {
        self.credentials = Locked(credentials)
    }

    public func credential(for key: String) -> String? {
        credentials.withLock { $0[key] }
    }

    public func update(_ changes: [String: String?]) {
        credentials.withLock { $0.apply(changes) }
    }
}

extension [String: String] {
    mutating func apply(_ changes: [String: String?]) {
        for (key, value) in changes { self[key] = value }
    }
}
