import StreamsHTTP

/// Downloads as the command line describes them, besides what their requests share.
struct DownloadArguments {
    /// Whether the command line asks for downloads.
    var isWanted = false
    /// The checksums of the files, in the order of the URLs; empty for none.
    var checksums: [FileChecksum] = []
}

/// One file to download.
struct DownloadItem {
    let url: String
    let path: String
    let checksum: FileChecksum?
}

extension DownloadArguments {
    mutating func addChecksum(_ text: String) throws(UsageError) {
        guard let checksum = FileChecksum(text) else {
            throw UsageError("--checksum needs sha256: or sha512: and its digits, and \(text.quoted) is none")
        }
        checksums.append(checksum)
    }
}

extension RequestArguments {
    /// The maximum number of URLs, because all names are compared before the first download.
    private static let maxDownloads = 10_000

    /// Checks the options that depend on the command.
    func checkDownload() throws(UsageError) {
        guard download.isWanted else { return }
        guard method ?? .get == .get else { throw UsageError("streams download sends GET") }
        if case .after = range { throw UsageError("streams download resumes by itself, and has only -C -") }
        _ = try downloadItems()
    }

    /// Returns the files, of which no two are the same.
    func downloadItems() throws(UsageError) -> [DownloadItem] {
        guard !outputs.contains(.standardOutput) else {
            throw UsageError("streams download writes files; without download, the body goes to standard output")
        }
        let areNamed = outputs.contains { $0 != .remoteName }
        guard !areNamed || outputs.count == urls.count else {
            throw UsageError("there are \(urls.count) URLs and \(outputs.count) of -o and -O")
        }
        var count = 0
        for url in urls {
            guard url.count <= Self.maxDownloads - count else {
                throw UsageError("streams download takes at most \(Self.maxDownloads) URLs")
            }
            count += url.count
        }
        guard download.checksums.isEmpty || download.checksums.count == count else {
            throw UsageError("there are \(count) URLs and \(download.checksums.count) of --checksum")
        }
        var items: [DownloadItem] = []
        var paths: Set<String> = []
        for (index, pattern) in urls.enumerated() {
            for url in pattern {
                let output = areNamed ? outputs[index] : .remoteName
                let checksum = download.checksums.isEmpty ? nil : download.checksums[items.count]
                let path = try output.path(for: url, in: outputFolder, decodesName: true) ?? ""
                try checkHeadOutput(beside: path)
                guard paths.insert(path).inserted else {
                    throw UsageError("two URLs have the file name \(path.quoted)")
                }
                items.append(DownloadItem(url: url.url, path: path, checksum: checksum))
            }
        }
        return items
    }
}
