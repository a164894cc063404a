/// A store that keeps credentials in a file that only its owner may read.
///
/// The file holds a JSON object of strings. It is replaced as a whole: after a crash it has either the old credentials
/// or the new ones. A file that other users have any access to, or that another user owns, is refused with ``Refusal``.
/// Only one process at a time should write to the file. Each read sees the last changes of other processes.
public final class FileCredentialStore: CredentialStore {
    /// The path of the file, which need not exist yet.
    public let path: String
    /// A lock that serializes changes to the file.
    private let turn = Locked(())

    /// Creates a store.
    ///
    /// - Parameter path: The path of the file, which need not exist yet. Its directory must exist.
    public init(path: String) {
        self.path = path
    }

    /// - Throws: ``Refusal``, ``FileError``, or the decoder's error.
    public func credential(for key: String) throws -> String? {
        try load()[key]
    }

    /// - Throws: ``Refusal``, ``FileError``, or the decoder's error. The file is then unchanged.
    public func update(_ changes: [String: String?]) throws {
        try replace { credentials in
            credentials.apply(changes)
            return true
        }
    }

    /// - Throws: ``Refusal``, ``FileError``, or the decoder's error. The file is then unchanged.
    public func remove(_ credential: String, for key: String) throws {
        try replace { credentials in
            guard credentials[key] == credential else { return false }
            credentials[key] = nil
            return true
        }
    }

    /// Replaces the file, unless the closure returns `false`.
    private func replace(_ change: (inout [String: String]) -> Bool) throws {
        try turn.withLock { _ in
            Result {
                var credentials = try load()
                guard change(&credentials) else { return }
                try Folder.replaceFile(at: path, with: JSONEncoder().encode(credentials), isDurable: true)
            }
        }.get()
    }

    /// The error for a file that is not safe for credentials, or for the cookies of a ``CookieJar``.
    public struct Refusal: Error, CustomStringConvertible {
        /// The path of the file.
        public let path: String

        public var description: String { "\(path) is open to others, or is no file of this user's" }
    }
}

extension FileCredentialStore {
    private func load() throws -> [String: String] {
        guard let contents = try PrivateFile.contents(of: path) else { return [:] }
        return try JSONDecoder().decode([String: String].self, from: contents)
    }
}
