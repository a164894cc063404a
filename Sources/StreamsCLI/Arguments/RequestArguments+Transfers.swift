import StreamsHTTP

extension RequestArguments {
    /// Checks the options that depend on the number of URLs, and the first request of each URL.
    func checkTransfers() throws(UsageError) {
        guard outputs.count <= urls.count else {
            throw UsageError("there are \(urls.count) URLs and \(outputs.count) of -o and -O")
        }
        let count = urls.contains { $0.count > 1 } ? "several" : "\(urls.count)"
        if count != "1", case .upload = body { throw UsageError("-T has one URL, and there are \(count)") }
        if takesNameOfResponse {
            guard outputs.contains(.remoteName) else { throw UsageError("-J needs -O") }
            guard range?.isContinuation != true else {
                throw UsageError("-C needs the name of a file, and -J has none")
            }
        }
        if isParallel {
            // The lines of events do not name their request.
            guard !printsEvents else { throw UsageError("-Z has no --events") }
            guard !endsAtFailure else { throw UsageError("-Z has no --fail-early") }
            if let headOutput, headOutput.path == nil {
                throw UsageError("-Z has no -D -; give -D the name of a file")
            }
            guard range?.isContinuation != true else {
                throw UsageError("-Z has no -C; streams download continues several files at a time")
            }
        }
        for index in urls.indices { _ = try transfer(of: urls[index][0], output: output(at: index)) }
    }

    /// The arguments of the request of each URL, with the output of its own. A URL that a pattern stands for may have no
    /// name for its file.
    var transfers: some Sequence<Result<RequestArguments, UsageError>> {
        urls.indices.lazy.flatMap { index in
            urls[index].lazy.map { url in
                Result { () throws(UsageError) in try transfer(of: url, output: output(at: index)) }
            }
        }
    }

    /// Returns the output of a URL. Without one, a body is written to standard output, as by curl.
    private func output(at index: Int) -> OutputArgument {
        index < outputs.count ? outputs[index] : .standardOutput
    }

    /// Checks that the body does not replace the file of `-D`. Both may be written to a device.
    func checkHeadOutput(beside path: String) throws(UsageError) {
        guard path == headOutput?.path else { return }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else {
            throw UsageError("the heads of -D and the body have a file of their own each; -i writes both to one")
        }
    }

    private func transfer(of url: URLPattern.Element, output: OutputArgument) throws(UsageError) -> RequestArguments {
        var transfer = self
        transfer.url = url.url
        transfer.outputPath = try output.path(for: url, in: outputFolder)
        transfer.takesNameOfResponse = takesNameOfResponse && output == .remoteName
        if let path = transfer.outputPath { try checkHeadOutput(beside: path) }
        try transfer.checkProtocol(of: url.url)
        return transfer
    }
}
