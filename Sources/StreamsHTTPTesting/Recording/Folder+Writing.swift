import StreamsHTTP

extension Folder {
    /// Creates a folder and its parents for their owner alone, unless they exist.
    static func create(_ path: String) throws(FileError) {
        try path.checkPath()
        let slash = UInt8(ascii: "/")
        var created = path.utf8.first == slash ? "/" : ""
        for part in path.utf8.split(separator: slash) {
            created += "\(Substring(part))/"
            guard mkdir(created, 0o700) != 0 else { continue }
            let code = errno
            guard code == EEXIST || isFolder(created) else { throw FileError(path: created, code: code) }
        }
    }

    /// Removes a file, if there is one.
    static func removeFile(_ path: String) {
        unlink(path)
    }
}
