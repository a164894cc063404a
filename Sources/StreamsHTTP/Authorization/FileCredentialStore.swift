/// Keeps credentials in a file that its owner alone may read.
///
/// The file holds a JSON object of strings. It is replaced as a whole: after a crash it has either the old credentials
/// or the new ones. A file that others may read or write, or that is another user's, is refused rather than used. One
/// process at a time should write to it; what others have written is seen at the next look.
public final class FileCredentialStore: CredentialStore {
    /// Where the file is, or will be.
    public let path: String
    /// Lets one thread at a time change the file.
    private let turn = Locked(())

    /// - Parameter path: Where the file is, or will be. Its directory must be there.
    public init(path: String) {
        self.path = path
    }

    /// - Throws: ``Refusal``, ``FileError``, or what decoding throws.
    public func credential(for key: String) throws -> String? {
        try load()[key]
    }

    /// - Throws: ``Refusal``, ``FileError``, or what decoding throws; then the file is as it was.
    public func update(_ changes: [String: String?]) throws {
        try turn.withLock { _ in
            Result {
                var credentials = try load()
                credentials.apply(changes)
                try replace(with: JSONEncoder().encode(credentials))
            }
        }.get()
    }

    /// A file that is not a safe place for credentials.
    public struct Refusal: Error, CustomStringConvertible {
        /// Where the file is.
        public let path: String

        public var description: String { "\(path) is open to others, or is no file of this user's" }
    }
}

extension FileCredentialStore {
    private func load() throws -> [String: String] {
        // Non-blocking, so that a FIFO does not keep it waiting before it is refused.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return [:] }
            throw FileError(path: path, code: errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileError(path: path, code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 == 0, status.st_uid == geteuid() else {
            throw Refusal(path: path)
        }
        return try JSONDecoder().decode([String: String].self, from: try read(descriptor))
    }

    private func read(_ descriptor: CInt) throws -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = buffer.withUnsafeMutableBytes { systemRead(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                data.append(contentsOf: buffer[..<count])
            } else if count == 0 {
                return data
            } else if errno != EINTR {
                throw FileError(path: path, code: errno)
            }
        }
    }

    /// Writes a new file, waits until it is on the disk, and gives it the old one's name.
    private func replace(with data: Data) throws {
        let name = "\(path).\(getpid()).\(UInt64.random(in: 0...UInt64.max))"
        let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileError(path: name, code: errno) }
        do {
            defer { close(descriptor) }
            try write(data, to: descriptor)
            guard fsync(descriptor) == 0 else { throw FileError(path: name, code: errno) }
            guard rename(name, path) == 0 else { throw FileError(path: path, code: errno) }
        } catch {
            unlink(name)
            throw error
        }
        syncDirectory()
    }

    private func write(_ data: Data, to descriptor: CInt) throws {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw FileError(path: path, code: errno)
            }
        }
    }

    /// Has the new name survive a power failure. Where the directory cannot be opened, the name is there all the same.
    private func syncDirectory() {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

// The system's calls, apart from the methods of the same names.
private func systemRead(_ descriptor: CInt, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

private func systemWrite(_ descriptor: CInt, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, buffer, count)
}
