import StreamsHTTP

extension String {
    /// Opens the output at this path: a regular file is replaced as a whole, and anything else is written directly.
    func openOutput(_ interruption: Interruption) throws(SystemError) -> any BodyOutput {
        var (status, link) = (stat(), stat())
        guard stat(self, &status) == 0 else {
            guard errno == ENOENT else { throw SystemError(action: "cannot open \(self)", code: errno) }
            return try FileOutput(self, replacing: nil, interruption: interruption)
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return try StreamOutput(opening: self) }
        // A symbolic link stays, and the file it leads to is replaced.
        guard lstat(self, &link) == 0, link.st_mode & S_IFMT == S_IFLNK else {
            return try FileOutput(self, replacing: status, interruption: interruption)
        }
        guard let target = realpath(self, nil) else { throw SystemError(action: "cannot open \(self)", code: errno) }
        defer { free(target) }
        // A name that is not UTF-8 would become that of another file.
        guard let target = String(validatingCString: target) else {
            throw SystemError(action: "cannot open \(self)", code: EILSEQ)
        }
        return try FileOutput(target, replacing: status, interruption: interruption)
    }
}
