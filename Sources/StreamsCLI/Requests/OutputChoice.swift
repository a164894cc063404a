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
            return try outputPath.openOutput(interruption)
        }
        return printsEvents ? nil : StreamOutput(descriptor: .standardOutput)
    }
}
