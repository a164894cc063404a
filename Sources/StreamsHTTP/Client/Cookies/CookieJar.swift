import Dispatch

/// A store of cookies that a client's requests share (RFC 6265bis).
///
/// ```swift
/// let jar = CookieJar()
/// let client = HTTPClient(baseURL: url).configuring { $0.cookies = jar }
/// ```
///
/// Every request of the client gets the cookies of its URL, and every response sets others: also those of redirects,
/// retries, feeds, downloads and WebSockets, with each transport. <doc:Cookies> describes which cookies the jar takes,
/// which requests get them, and how processes share a file.
///
/// A jar has at most 3,000 cookies, 180 for each site and 50 for each domain. All functions can be called from any thread.
public final class CookieJar: Sendable {
    /// The time within which changes are collected before they are written.
    private static let saveDelay = Duration.milliseconds(100)
    /// The number of fields `Set-Cookie` of a response that are read: more than a domain can have cookies.
    private static let maxFieldCount = 100
    /// The clock of all jars but those of tests.
    private static let clock = RequestClock(DispatchQueue.global(qos: .utility))

    private let store: Locked<CookieStore>
    /// The file; `nil` for a jar in memory.
    private let file: CookieFile?
    /// The clock by which cookies expire, and changes are written.
    private let clock: RequestClock
    private let suffixes: PublicSuffixes

    /// Creates an empty jar in memory.
    public convenience init() {
        self.init(suffixes: .system)
    }

    /// - Parameter suffixes: The public suffixes.
    init(suffixes: PublicSuffixes) {
        store = Locked(CookieStore(suffixes: suffixes))
        file = nil
        clock = Self.clock
        self.suffixes = suffixes
    }

    /// Creates a jar with the cookies of a file in Netscape's format, as curl's `-b` and `-c` read and write it.
    ///
    /// Changes are written soon after they are made, in the background; ``synchronize()`` waits for that. Processes and
    /// jars may share the file: none loses the changes of another. A file that other users have any access to, or that
    /// another user owns, is refused.
    ///
    /// - Parameter path: The path of the file, which need not exist yet. Its folder must exist, and gets another file,
    ///   whose name ends in `.lock`.
    /// - Throws: ``FileCredentialStore/Refusal``, or ``FileError``; its code is `EINVAL` for a file of another format.
    public convenience init(path: String) throws {
        try self.init(path: path, acceptsOpenFile: false, clock: Self.clock)
    }

    /// Creates a jar with the cookies of a file that others may have access to. The first change replaces it by one
    /// that they have no access to.
    ///
    /// - Parameter path: The path of the file.
    package convenience init(openFileAt path: String) throws {
        try self.init(path: path, acceptsOpenFile: true, clock: Self.clock)
    }

    /// - Parameters:
    ///   - path: The path of the file.
    ///   - acceptsOpenFile: Whether a file that others have access to is read.
    ///   - clock: The clock by which cookies expire, and changes are written.
    ///   - suffixes: The public suffixes.
    init(
        path: String, acceptsOpenFile: Bool = false, clock: RequestClock, suffixes: PublicSuffixes = .system
    ) throws {
        let file = CookieFile(path: path, acceptsOpenFile: acceptsOpenFile, suffixes: suffixes)
        var cookies = CookieStore(suffixes: suffixes)
        for cookie in try file.load() { cookies.insert(cookie, at: clock.date) }
        store = Locked(cookies)
        self.file = file
        self.clock = clock
        self.suffixes = suffixes
    }
}

// MARK: Cookies

extension CookieJar {
    /// The cookies, in the order in which they were set first.
    public var cookies: [Cookie] {
        let date = clock.date
        return store.withLock { $0.cookies }.filter { !$0.isExpired(at: date) }
    }

    /// Returns the cookies that a request would get now, in the order in which they would be sent: those with longer
    /// paths first.
    ///
    /// - Parameter url: The URL of the request.
    public func cookies(for url: URL) -> [Cookie] {
        guard let target = try? URLResolver.target(of: url.withHTTPScheme) else { return [] }
        return cookies(for: target.url, at: clock.date)
    }

    /// Sets a cookie in place of one with the same name, domain and path. An expired cookie only removes that one.
    ///
    /// - Returns: Whether the jar has taken the cookie. It refuses a cookie that no response could set, for instance
    ///   because of a control character, its size, the prefix of its name, or a public suffix as its domain.
    @discardableResult
    public func set(_ cookie: Cookie) -> Bool {
        guard cookie.isAcceptable(under: suffixes), canKeep(cookie) else { return false }
        let date = clock.date
        var cookie = cookie
        cookie.limitLifetime(at: date)
        store.withLock { $0.insert(cookie, at: date) }
        save()
        return true
    }

    /// Removes a cookie, unless it has another value by now.
    public func remove(_ cookie: Cookie) {
        store.withLock { store in
            // The jar may have limited its lifetime, and a file has no field for `SameSite`.
            guard let own = store.cookie(with: cookie.identity), own.valueText == cookie.valueText else { return }
            store.remove(own)
        }
        save()
    }

    /// Removes cookies.
    ///
    /// - Parameter isRemoved: Returns whether a cookie is removed; by default, all are.
    public func removeAll(where isRemoved: (Cookie) -> Bool = { _ in true }) {
        let removed = store.withLock { $0.cookies }.filter(isRemoved)
        store.withLock { store in
            for cookie in removed { store.remove(cookie) }
        }
        save()
    }
}

// MARK: Requests

extension CookieJar {
    /// Adds the cookies of a request's URL, unless the request has a field `Cookie` of its own.
    func addCookies(to request: inout TransportRequest, at date: Date) {
        guard !request.headers.contains("Cookie") else { return }
        let cookies = cookies(for: request.lazyURL, at: date)
        guard !cookies.isEmpty else { return }
        let pairs = cookies.map(\.pair).joined(separator: "; ")
        request.headers.add(HTTPHeaders.Field(name: "Cookie", text: pairs, isSensitive: true))
    }

    /// Takes the cookies that a response sets.
    ///
    /// - Parameters:
    ///   - headers: The fields of the response.
    ///   - url: The URL of the request.
    ///   - date: The present time.
    func takeCookies(from headers: HTTPHeaders, of url: LazyURL, at date: Date) {
        let fields = headers.texts(for: "Set-Cookie")
        guard !fields.isEmpty, let origin = CookieOrigin(url) else { return }
        let cookies = fields.prefix(Self.maxFieldCount).compactMap { field in
            SetCookie(field).flatMap { Cookie($0, from: origin, at: date, under: suffixes) }
        }.filter(canKeep)
        guard !cookies.isEmpty else { return }
        store.withLock { store in
            for cookie in cookies { store.insert(cookie, from: origin, at: date) }
        }
        save()
    }

    func cookies(for url: LazyURL, at date: Date) -> [Cookie] {
        guard let origin = CookieOrigin(url) else { return [] }
        defer { lookForChanges() }
        return store.withLock { $0.select(for: origin, at: date) }
    }

    private func canKeep(_ cookie: Cookie) -> Bool { file == nil || cookie.isWritable }
}

// MARK: Files

extension CookieJar {
    /// Writes the changes of a jar with a file, and takes those that others have written. Blocks the thread meanwhile.
    /// Does nothing for a jar in memory.
    ///
    /// Call this before the program exits: the latest changes are lost otherwise. It also writes changes that
    /// could not be written in the background, and throws the reason if it still cannot. Requests try to write them
    /// again, at most once a second, and ignore the error.
    ///
    /// - Throws: ``FileCredentialStore/Refusal``, or ``FileError``, whose code is `EWOULDBLOCK` if another process does
    ///   not end its change within ten seconds. The changes are kept.
    public func synchronize() throws {
        let date = clock.date
        try file?.update { changes in
            store.withLock { store in
                store.merge(changes, at: date)
                store.removeExpired(at: date)
                return store.cookies
            }
        }
    }

    /// Writes the changes in the background, after a delay that collects them.
    private func save() {
        guard let file else { return }
        file.wait {
            clock.schedule(Self.saveDelay) { [self] in
                file.endWait()
                // After an error, later requests try again, and the next call of the program throws it.
                try? synchronize()
            }
        }
    }

    /// Takes the changes of other processes in the background, and writes those that could not be written, at most once
    /// a second.
    private func lookForChanges() {
        guard let file, file.isCheckDue(now: clock.now) else { return }
        clock.runConcurrently { [self] in
            if file.needsUpdate { try? synchronize() }
        }
    }
}

extension CookieJar {
    /// Adds the cookies of a file in Netscape's format, or of one with the heads of responses.
    ///
    /// - Parameters:
    ///   - data: The bytes of the file.
    ///   - url: The URL of the host that counts as the sender of heads, which do not say it.
    /// - Returns: Whether the file is in one of these formats.
    package func read(_ data: Data, from url: URL?) -> Bool {
        let date = clock.date
        guard let cookies = CookieFormat.contents(of: data, under: suffixes)?.cookies else {
            guard let headers = HTTPHeaders(cookiesOfHeads: data) else { return false }
            if let target = url.flatMap({ try? URLResolver.target(of: $0.withHTTPScheme) }) {
                takeCookies(from: headers, of: LazyURL("\(target.url.base)/"), at: date)
            }
            return true
        }
        store.withLock { store in
            for cookie in cookies { store.insert(cookie, at: date) }
        }
        save()
        return true
    }

    /// The bytes of a file in Netscape's format with the cookies.
    package var data: Data { CookieFormat.data(of: CookieFormat.Contents(cookies: cookies.filter(\.isWritable))) }
}

extension CookieJar: CustomReflectable {
    /// A mirror without the cookies.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .class) }
}

extension HTTPHeaders {
    /// Creates the fields `Set-Cookie` of the bytes of responses' heads; `nil` if these are none.
    fileprivate init?(cookiesOfHeads data: Data) {
        let name = "Set-Cookie"
        let fields = data.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.compactMap { line -> Field? in
            let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1)
            guard parts.count == 2, FieldText(bytes: parts[0]).string.isEqualIgnoringASCIICase(to: name) else {
                return nil
            }
            return Field(name: name, bytes: parts[1])
        }
        guard !fields.isEmpty || data.starts(with: "HTTP/".utf8) else { return nil }
        self.init(fields)
    }
}

extension URL {
    /// The URL with which a WebSocket is opened.
    fileprivate var withHTTPScheme: URL { URL(string: absoluteString.withHTTPScheme) ?? self }
}
