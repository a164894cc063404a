/// A private cache of responses (RFC 9111), in memory or in a folder.
///
/// ```swift
/// var configuration = HTTPClient.Configuration(baseURL: "https://api.example.com")
/// configuration.cache = try HTTPCache(path: "/var/cache/example", maxSize: 256 << 20)
/// configuration.options.cache.staleIfError = .seconds(86_400)
/// ```
///
/// A client without a cache stores nothing. Several clients may share a cache, and several processes a folder. Which responses
/// are stored, and for how long they are used, is the servers' decision; ``RequestOptions/cache`` is the request's.
/// <doc:Caching> describes both.
///
/// A response to a request with credentials (an `Authorization`, cookies, other sensitive fields or a client certificate) is
/// used for requests with the same credentials alone. `Set-Cookie` is not stored, nor are credentials: only a digest of
/// them, with a secret key.
///
/// Nothing that happens to a store is an error of a request: a full disk, a damaged or foreign file, or the end of the
/// process at any moment cost at most the use of a stored response.
public final class HTTPCache: Sendable {
    /// The numbers of a cache at one moment.
    public struct Statistics: Hashable, Sendable {
        /// The bytes that the stored responses occupy, in memory or on the disk. After a folder has been opened, they are
        /// counted in the background.
        public internal(set) var bytes: Int64 = 0
        /// The number of stored responses. Each URL whose responses differ by request fields or credentials counts as
        /// another one.
        public internal(set) var entries = 0
        /// The number of requests that a stored response answered without a request to the server.
        public internal(set) var hits = 0
        /// The number of requests whose stored response the server has validated.
        public internal(set) var validations = 0
        /// The number of requests that a stale response answered, with or without a request to the server; they count
        /// among the hits, too, if there was none.
        public internal(set) var staleUses = 0
        /// The number of requests that were answered by the server.
        public internal(set) var misses = 0
    }

    /// The entries.
    let store: any CacheStore
    let collapsed = CollapsedRequests()
    private let counts = Locked(Statistics())

    init(_ store: any CacheStore) {
        self.store = store
    }

    /// Creates a cache in memory.
    ///
    /// - Parameters:
    ///   - maxMemory: The maximum number of bytes that it occupies. Beyond it, the responses are removed that have not
    ///     been used for the longest time. A response larger than an eighth of it is not stored.
    ///   - maxEntries: The maximum number of responses.
    public convenience init(maxMemory: Int, maxEntries: Int = 10_000) {
        self.init(MemoryStore(maxBytes: Int64(maxMemory), maxEntries: maxEntries))
    }

    /// Creates a cache in a folder.
    ///
    /// Files in the folder can be read by its owner alone. Files of others that lie there are left alone.
    ///
    /// - Parameters:
    ///   - path: The path of the folder, which is created if there is none.
    ///   - maxSize: The maximum number of bytes of its files. Beyond it, the responses are removed that have not been
    ///     used for the longest time. A response larger than an eighth of it is not stored.
    ///   - maxEntries: The maximum number of responses.
    /// - Throws: ``FileError`` if the folder cannot be created, or if other users have access to it.
    public convenience init(path: String, maxSize: Int64, maxEntries: Int = 100_000) throws(FileError) {
        self.init(try FolderStore(path: path, maxBytes: maxSize, maxEntries: maxEntries))
    }

    /// The numbers of the cache: its size, and how requests have been answered since it was created.
    public var statistics: Statistics {
        var statistics = counts.withLock { $0 }
        let usage = store.usage
        (statistics.bytes, statistics.entries) = (usage.bytes, usage.entries)
        return statistics
    }

    /// Counts a request by the status of its response.
    func count(_ status: CacheStatus) {
        counts.withLock { counts in
            if status.isStale { counts.staleUses += 1 }
            if status.isValidated {
                counts.validations += 1
            } else if !status.isStoredResponse {
                counts.misses += 1
            } else if status.isHit {
                counts.hits += 1
            }
        }
    }

    /// Removes the responses that are stored for a URL. Responses that are being received for it are not stored.
    ///
    /// - Parameters:
    ///   - url: The absolute URL of the requests.
    ///   - connection: The options of the requests that decide which server answers, such as a unix-domain socket.
    public func remove(for url: URL, connection: RequestOptions.Connection = RequestOptions.Connection()) {
        for key in CacheInvalidation.keys(of: LazyURL(url), connection: connection) { store.remove(key) }
    }

    /// Waits until the responses that have been received are stored, and what was removed is gone. Call it before the
    /// program exits.
    public func synchronize() async {
        await withCheckedContinuation { continuation in store.synchronize { continuation.resume() } }
    }

    /// Removes all responses. Those that are being received are not stored.
    ///
    /// - Throws: The error of the first file that could not be removed.
    public func removeAll() async throws(FileError) {
        let error = await withCheckedContinuation { continuation in
            store.removeAll { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }
}

extension HTTPCache.Statistics: CustomStringConvertible {
    /// The numbers: `12 responses of 48231 bytes; 40 hits, 2 validations, 7 misses, 1 stale`.
    public var description: String {
        "\(entries) responses of \(bytes) bytes; \(hits) hits, \(validations) validations, \(misses) misses, "
            + "\(staleUses) stale"
    }
}
