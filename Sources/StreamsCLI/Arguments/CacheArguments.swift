import StreamsHTTP

/// The cache of `--cache`.
struct CacheArguments {
    /// The maximum number of bytes of the files.
    private static let maxSize: Int64 = 256 << 20

    /// The path of the folder; `nil` for no cache.
    var path: String?
    /// The time for which a stale response is used if the server fails; `nil` for that of the server.
    var staleIfError: Duration?
    /// The responses in the folder, once it is open.
    private(set) var responses: HTTPCache?

    /// Opens the folder.
    ///
    /// - Parameter opened: The responses in it, if another request has opened it.
    mutating func open(_ opened: HTTPCache?) throws(UsageError) {
        guard let path else {
            if staleIfError != nil { throw UsageError("--stale-if-error needs --cache") }
            return
        }
        if let opened { return responses = opened }
        do throws(FileError) {
            responses = try HTTPCache(path: path, maxSize: Self.maxSize)
        } catch {
            throw UsageError("--cache cannot use \(error)")
        }
    }
}
