extension RequestArguments {
    /// Returns the arguments of the request of each URL, with the output of its own. Without one, a body is written to
    /// standard output, as by curl.
    func transfers() throws(UsageError) -> [RequestArguments] {
        guard outputs.count <= urls.count else {
            throw UsageError("there are \(urls.count) URLs and \(outputs.count) of -o and -O")
        }
        if urls.count > 1, case .upload = body { throw UsageError("-T has one URL, and there are \(urls.count)") }
        if takesNameOfResponse {
            guard outputs.contains(.remoteName) else { throw UsageError("-J needs -O") }
            guard range?.isContinuation != true else {
                throw UsageError("-C needs the name of a file, and -J has none")
            }
        }
        var transfers: [RequestArguments] = []
        for (index, url) in urls.enumerated() {
            var transfer = self
            let output = index < outputs.count ? outputs[index] : .standardOutput
            transfer.url = url
            transfer.outputPath = try output.path(for: url)
            transfer.takesNameOfResponse = takesNameOfResponse && output == .remoteName
            transfers.append(transfer)
        }
        return transfers
    }
}
