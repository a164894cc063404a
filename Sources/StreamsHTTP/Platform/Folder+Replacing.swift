extension Folder {
    /// Replaces a file as a whole: after a crash it has either the old contents or the new ones. Only its owner has
    /// access to the new file. A symbolic link at the path is replaced, not followed.
    ///
    /// - Parameters:
    ///   - path: The path of the file, which need not exist.
    ///   - contents: The new contents.
    ///   - temporaryPath: The path of the new file before the replacement; by default one that is not in use. If a
    ///     lock protects it, a fixed path leaves one file after crashes instead of many: a file there is removed first.
    ///   - isDurable: Whether to wait until the contents are on the disk.
    package static func replaceFile(
        at path: String, with contents: Data, through temporaryPath: String? = nil, isDurable: Bool = false
    ) throws(FileError) {
        try path.checkPath()
        if let temporaryPath { unlink(temporaryPath) }
        // In a folder that others can write to, a link of theirs could be at a name that they can guess.
        let name = temporaryPath ?? "\(path).\(getpid()).\(UInt64.random(in: 0...UInt64.max))"
        let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileError(path: path, code: errno) }
        var code = write(contents, to: descriptor)
        if code == 0, isDurable, fsync(descriptor) != 0 { code = errno }
        if close(descriptor) != 0, code == 0 { code = errno }
        if code == 0, rename(name, path) != 0 { code = errno }
        guard code == 0 else {
            unlink(name)
            throw FileError(path: path, code: code)
        }
        if isDurable { syncFolder(of: path) }
    }

    /// - Returns: The system's error number; zero if all bytes were written.
    private static func write(_ contents: Data, to descriptor: CInt) -> CInt {
        contents.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
                if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return errno }
            }
            return 0
        }
    }

    /// Makes a renaming survive a power failure. Failures are ignored, because the file is already renamed.
    static func syncFolder(of path: String) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

// The system call, which the function of the same name would shadow.
private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
