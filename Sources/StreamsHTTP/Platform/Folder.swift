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

    /// Returns a file's contents.
    package static func contents(of path: String) throws -> Data {
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

    /// Whether the path is a regular file's.
    static func isFile(_ path: String) -> Bool { kind(of: path) == S_IFREG }

    /// Whether the path is a folder's.
    package static func isFolder(_ path: String) -> Bool { kind(of: path) == S_IFDIR }

    private static func kind(of path: String) -> mode_t? {
        var status = stat()
        return !path.utf8.contains(0) && stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}
