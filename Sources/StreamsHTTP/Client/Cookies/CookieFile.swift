/// The file of a jar, which several jars and processes share.
///
/// Reading takes no lock, because the file is replaced as a whole. A change takes the lock of a file beside it, and
/// merges the changes of the jar with those of others.
final class CookieFile: Sendable {
    /// The identity of the file's contents, for the time being.
    private struct Version: Equatable {
        let device: dev_t
        let node: ino_t
        let size: off_t
        let seconds: Int
        let nanoseconds: Int
    }

    private struct State {
        /// The cookies that the file had when it was last read or written.
        var base: [Cookie.Identity: Cookie] = [:]
        /// The version of the file at that time; `nil` without a file.
        var version: Version?
        /// Whether a change waits to be written.
        var isWaiting = false
        /// The timer of that change.
        var timer: (any Cancellable & Sendable)?
        /// Whether the last change could not be written.
        var hasFailed = false
        /// The time of the last look for changes of others.
        var lastCheck = Duration.zero
    }

    /// The most bytes of a file. The cookies of a jar need fewer.
    private static let maxSize = 32 << 20
    /// The time within which other processes are expected to end a change.
    private static let lockTimeout = Duration.seconds(10)
    /// The time after which a request looks for changes of others.
    private static let checkInterval = Duration.seconds(1)

    let path: String
    /// Whether a file that others have access to is accepted.
    private let acceptsOpenFile: Bool
    private let suffixes: PublicSuffixes
    private let state = Locked(State())

    init(path: String, acceptsOpenFile: Bool, suffixes: PublicSuffixes) {
        self.path = path
        self.acceptsOpenFile = acceptsOpenFile
        self.suffixes = suffixes
    }

    /// Returns the cookies of the file, for an empty jar.
    func load() throws -> [Cookie] {
        let version = currentVersion
        let cookies = try read().cookies
        keep(cookies, version)
        return cookies
    }

    /// Merges the cookies of the file with those of a jar, and writes the result if it differs from the file.
    ///
    /// - Parameter merge: Merges the changes that others have made to the file into the jar, and returns the cookies
    ///   that the file is to have.
    func update(_ merge: ([CookieChange]) -> [Cookie]) throws {
        do {
            try write(merge)
            state.withLock { $0.hasFailed = false }
        } catch {
            state.withLock { $0.hasFailed = true }
            throw error
        }
    }

    private func write(_ merge: ([CookieChange]) -> [Cookie]) throws {
        let lock = try FileLock(path: "\(path).lock", timeout: Self.lockTimeout)
        defer { lock.release() }
        // Before the contents are read: if a program without the lock replaces them meanwhile, the next look finds it.
        let version = currentVersion
        var contents = try read()
        let theirs = contents.cookies
        let merged = merge(CookieChange.changes(from: state.withLock { $0.base }, to: theirs)).map(\.inFile)
        // If it cannot be written, the next merge finds the same changes of the jar.
        keep(theirs, version)
        // Jars have orders of their own. If that counted, two of them would write the file in turn, without an end.
        guard Set(merged) != Set(theirs) else { return }
        contents.cookies = merged
        let data = CookieFormat.data(of: contents)
        try Folder.replaceFile(at: path, with: data, through: "\(path).new", isDurable: true)
        keep(merged, currentVersion)
    }

    private func read() throws -> CookieFormat.Contents {
        let data = acceptsOpenFile ? try openContents() : try PrivateFile.contents(of: path, maxSize: Self.maxSize)
        guard let data else { return CookieFormat.Contents() }
        guard let contents = CookieFormat.contents(of: data, under: suffixes) else {
            // Another file, which must not be replaced.
            throw FileError(path: path, code: EINVAL)
        }
        return contents
    }

    private func openContents() throws -> Data? {
        do {
            return try Folder.contents(of: path)
        } catch let error as FileError where error.code == ENOENT {
            return nil
        }
    }

    private func keep(_ cookies: [Cookie], _ version: Version?) {
        state.withLock { state in
            state.base = Dictionary(cookies.map { ($0.identity, $0) }) { $1 }
            state.version = version
        }
    }

    private var currentVersion: Version? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let time = status.modification
        return Version(
            device: status.st_dev, node: status.st_ino, size: status.st_size, seconds: time.tv_sec,
            nanoseconds: time.tv_nsec)
    }
}

// MARK: Schedule

extension CookieFile {
    /// Starts the delay after which changes are written, unless it is running.
    ///
    /// - Parameter timer: Starts the timer of the delay.
    func wait(_ timer: () -> any Cancellable & Sendable) {
        let begins = state.withLock { state in
            defer { state.isWaiting = true }
            return !state.isWaiting
        }
        guard begins else { return }
        let timer = timer()
        // The timer may have fired already.
        state.withLock { if $0.isWaiting { $0.timer = timer } }
    }

    /// Ends the delay.
    func endWait() {
        let timer = state.withLock { state in
            state.isWaiting = false
            return state.timer.take()
        }
        withExtendedLifetime(timer) {}
    }

    /// Returns whether to look for changes of others now: at most once a second.
    func isCheckDue(now: Duration) -> Bool {
        state.withLock { state in
            guard now - state.lastCheck >= Self.checkInterval else { return false }
            state.lastCheck = now
            return true
        }
    }

    /// Whether others have changed the file, or the last change could not be written.
    var needsUpdate: Bool {
        let (version, hasFailed) = state.withLock { ($0.version, $0.hasFailed) }
        return hasFailed || version != currentVersion
    }
}
