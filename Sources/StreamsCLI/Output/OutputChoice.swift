import StreamsHTTP

extension RequestArguments {
    /// Returns the output of the body; `nil` for none, if events are printed to standard output instead.
    func bodyOutput(_ interruption: Interruption) throws(SystemError) -> (any BodyOutput)? {
        if let outputPath {
            if createsFolders { try outputPath.createFolders() }
            if takesNameOfResponse {
                return NamedOutput(fallback: outputPath, folder: outputFolder, interruption)
            }
            // After a failure, the next run continues the file.
            if range?.isContinuation == true { return ContinuedOutput(outputPath, after: offset) }
            return try Self.output(at: outputPath, interruption)
        }
        return printsEvents ? nil : StreamOutput(descriptor: .standardOutput)
    }

    static func output(at path: String, _ interruption: Interruption) throws(SystemError) -> any BodyOutput {
        var (status, link) = (stat(), stat())
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw SystemError(action: "cannot open \(path)", code: errno) }
            return try FileOutput(path, replacing: nil, interruption: interruption)
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return try StreamOutput(opening: path) }
        // A symbolic link stays, and the file it leads to is replaced.
        guard lstat(path, &link) == 0, link.st_mode & S_IFMT == S_IFLNK else {
            return try FileOutput(path, replacing: status, interruption: interruption)
        }
        guard let target = realpath(path, nil) else { throw SystemError(action: "cannot open \(path)", code: errno) }
        defer { free(target) }
        // A name that is not UTF-8 would become that of another file.
        guard let target = String(validatingCString: target) else {
            throw SystemError(action: "cannot open \(path)", code: EILSEQ)
        }
        return try FileOutput(target, replacing: status, interruption: interruption)
    }
}
