/// Folders and whole files, without the part of Foundation that knows them.
enum Folder {
    /// The names in a folder, sorted, without those that begin with a dot.
    static func names(in path: String) throws(FileError) -> [String] {
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

    /// Makes a folder, and those above it, unless it exists.
    static func make(_ path: String) throws(FileError) {
        let slash = UInt8(ascii: "/")
        var made = path.utf8.first == slash ? "/" : ""
        for part in path.utf8.split(separator: slash) {
            made += "\(Substring(part))/"
            guard mkdir(made, 0o777) != 0 else { continue }
            let code = errno
            guard code == EEXIST || isFolder(made) else { throw FileError(path: made, code: code) }
        }
    }

    /// The path without symbolic links and dots; `nil` where there is no such file.
    static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// A file's contents.
    static func contents(of path: String) throws -> Data {
        let file = try FileBody(path: path)
        var contents = Data()
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            switch buffer.withUnsafeMutableBytes({ file.read(into: $0) }) {
            case .bytes(let count): contents.append(contentsOf: buffer[..<count])
            case .failed(let error): throw error
            case .end, .waiting: return contents
            }
        }
    }

    /// Writes a file, which appears when all of it is there.
    static func write(_ contents: Data, to path: String) throws(FileError) {
        let unfinished = path + ".unfinished"
        let descriptor = create(unfinished)
        guard descriptor >= 0 else { throw FileError(path: path, code: errno) }
        let code = contents.withUnsafeBytes { write($0, to: descriptor) }
        guard close(descriptor) == 0, code == 0, rename(unfinished, path) == 0 else {
            let code = code == 0 ? errno : code
            unlink(unfinished)
            throw FileError(path: path, code: code)
        }
    }

    /// Removes a file, if there is one.
    static func remove(_ path: String) {
        unlink(path)
    }

    private static func create(_ path: String) -> CInt {
        // Readable by its owner alone: what is recorded may be private whatever is left out.
        open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> CInt {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return errno }
        }
        return 0
    }

    /// Whether there is a regular file.
    static func isFile(_ path: String) -> Bool { kind(of: path) == S_IFREG }

    private static func isFolder(_ path: String) -> Bool { kind(of: path) == S_IFDIR }

    private static func kind(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}

/// The system's call, under a name that the methods above do not hide.
private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
