/// Access to folders and whole files through the C library.
package enum Folder {
    /// Returns the sorted names in a folder, without hidden files.
    package static func names(in path: String) throws(FileError) -> [String] {
        try path.checkPath()
        guard let stream = opendir(path) else { throw FileError(path: path, code: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
                    String(cString: $0)
                }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// Returns the path without symbolic links and dots; `nil` if there is no such file.
    static func resolved(_ path: String) -> String? {
        guard !path.utf8.contains(0), let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Whether the path is a regular file's.
    package static func isFile(_ path: String) -> Bool { kind(of: path) == S_IFREG }

    /// Whether the path is a folder's.
    package static func isFolder(_ path: String) -> Bool { kind(of: path) == S_IFDIR }

    private static func kind(of path: String) -> mode_t? {
        var status = stat()
        return !path.utf8.contains(0) && stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}

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
        var code = writeAll(contents, to: descriptor)
        if code == 0, isDurable, fsync(descriptor) != 0 { code = errno }
        if close(descriptor) != 0, code == 0 { code = errno }
        if code == 0, rename(name, path) != 0 { code = errno }
        guard code == 0 else {
            unlink(name)
            throw FileError(path: path, code: code)
        }
        if isDurable { syncFolder(of: path) }
    }

    /// Writes all bytes to a file.
    ///
    /// - Returns: The system's error number; zero if all bytes were written.
    static func writeAll(_ contents: Data, to descriptor: CInt) -> CInt {
        contents.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let next = UnsafeRawBufferPointer(rebasing: rest)
                let count = write(descriptor, next.baseAddress, next.count)
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
