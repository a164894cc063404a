/// A store that keeps credentials by key.
public protocol CredentialStore: Sendable {
    /// Returns the credential for a key, or `nil` if there is none. Callable from any thread.
    func credential(for key: String) throws -> String?

    /// Sets credentials by key, and removes those that are `nil`. Makes all changes or none. Callable from any thread.
    func update(_ changes: [String: String?]) throws
}

/// A store that keeps credentials in memory, for as long as the store exists.
public final class InMemoryCredentialStore: CredentialStore {
    private let credentials: Locked<[String: String]>

    /// Creates a store.
    ///
    /// - Parameter credentials: The initial credentials, by key.
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

extension InMemoryCredentialStore: CustomReflectable {
    /// A mirror without the credentials.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .class) }
}

extension [String: String] {
    mutating func apply(_ changes: [String: String?]) {
        for (key, value) in changes { self[key] = value }
    }
}
