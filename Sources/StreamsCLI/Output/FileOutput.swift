import StreamsHTTP

/// A regular file that appears whole or not at all.
///
/// The body is written to a file beside the target, which replaces the target after its content has reached the disk.
struct FileOutput: BodyOutput {
    private let path: String
    private let partialPath: String
    private let descriptor: Descriptor
    private let interruption: Interruption

    /// - Parameters:
    ///   - path: The path of the file. An existing file keeps its mode, except for the set-user-ID, set-group-ID and
    ///     sticky bits.
    ///   - existing: The status of the existing file, or `nil` if there is none.
    init(_ path: String, replacing existing: stat?, interruption: Interruption) throws(SystemError) {
        self.path = path
        self.interruption = interruption
        if existing != nil, access(path, W_OK) != 0 {
            throw SystemError(action: "cannot write \(path)", code: errno)
        }
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { "\(path[..<$0])/" } ?? ""
        partialPath = "\(folder).streams-\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).partial"
        interruption.addPartialFile(partialPath)
        let number = open(partialPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, existing == nil ? 0o666 : 0o600)
        guard number >= 0 else {
            let code = errno
            interruption.removePartialFile(partialPath)
            throw SystemError(action: "cannot create \(path)", code: code)
        }
        descriptor = Descriptor(number: number, name: path)
        if let existing, fchmod(number, existing.st_mode & 0o777) != 0 {
            let code = errno
            discard()
            throw SystemError(action: "cannot create \(path)", code: code)
        }
    }

    /// Creates a file that must not exist before. It is written in place, and removed if it is not complete.
    init(creating path: String, interruption: Interruption) throws(SystemError) {
        self.path = path
        partialPath = path
        self.interruption = interruption
        let number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard number >= 0 else { throw SystemError(action: "cannot create \(path)", code: errno) }
        descriptor = Descriptor(number: number, name: path)
        // Not before, as a file that another program has created must stay.
        interruption.addPartialFile(path)
    }

    var filePath: String? { path }

    func write(_ chunk: Data) throws(SystemError) {
        try descriptor.writeAll(chunk)
    }

    func commit() throws(SystemError) {
        guard fsync(descriptor.number) == 0, rename(partialPath, path) == 0 else {
            let code = errno
            discard()
            throw SystemError(action: "cannot write \(path)", code: code)
        }
        interruption.removePartialFile(partialPath)
        close(descriptor.number)
    }

    func discard() {
        unlink(partialPath)
        interruption.removePartialFile(partialPath)
        close(descriptor.number)
    }
}
