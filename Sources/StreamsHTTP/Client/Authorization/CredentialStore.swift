/// A store that keeps credentials by key.
public protocol CredentialStore: Sendable {
    /// Returns the credential for a key, or `nil` if there is none. Callable from any thread.
    func credential(for key: String) throws -> String?

    /// Sets credentials by key, and removes those that are `nil`. Makes all changes or none. Callable from any thread.
    func update(_ changes: [String: String?]) throws

    /// Removes a credential, unless the key has another one by now, that of a later login for instance. Callable from any
    /// thread.
    ///
    /// A store that several clients or processes share should compare and remove in one step. By default, it compares
    /// first, and then updates.
    ///
    /// - Parameters:
    ///   - credential: The credential that is no longer valid.
    ///   - key: The key of the credential.
    func remove(_ credential: String, for key: String) throws
}

extension CredentialStore {
    public func remove(_ credential: String, for key: String) throws {
        if try self.credential(for: key) == credential { try update([key: nil]) }
    }
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

    public func remove(_ credential: String, for key: String) {
        credentials.withLock { if $0[key] == credential { $0[key] = nil } }
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
