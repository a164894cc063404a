import StreamsHTTP

/// Downloads as the command line describes them, besides what their requests share.
struct DownloadArguments {
    /// Whether the command line asks for downloads.
    var isWanted = false
    /// The URLs; the one of the request is empty.
    var urls: [String] = []
    /// The number of downloads at a time.
    var parallel = 4
    /// The checksums of the files, in the order of the URLs; empty for none.
    var checksums: [Checksum] = []
    /// The names of the options that only downloads have.
    var optionNames: [String] = []
}

/// One file to download.
struct DownloadItem {
    let url: String
    let path: String
    let checksum: Checksum?
}

extension DownloadArguments {
    mutating func addChecksum(_ text: String) throws(UsageError) {
        guard let checksum = Checksum(text) else {
            throw UsageError("--checksum needs sha256: or sha512: and its digits, and \(text.quoted) is none")
        }
        checksums.append(checksum)
    }
}

extension RequestArguments {
    /// Checks the options that depend on the command.
    func checkDownload() throws(UsageError) {
        guard download.isWanted else {
            guard let name = download.optionNames.first else { return }
            throw UsageError("\(name) needs streams download")
        }
        guard body == nil, method ?? .get == .get, !asksForHead, !includesHeads, writeOut == nil else {
            throw UsageError("streams download sends GET, and has neither -i nor -w")
        }
        if download.parallel < 1 { throw UsageError("--parallel needs a number from 1 up") }
        _ = try downloadItems()
    }

    /// Returns the files, of which no two are the same.
    func downloadItems() throws(UsageError) -> [DownloadItem] {
        let urls = download.urls
        guard !urls.isEmpty else { throw UsageError("a URL is missing") }
        if outputPath != nil, urls.count > 1 { throw UsageError("-o names one file, and there are \(urls.count) URLs") }
        guard download.checksums.isEmpty || download.checksums.count == urls.count else {
            throw UsageError("there are \(urls.count) URLs and \(download.checksums.count) of --checksum")
        }
        var items: [DownloadItem] = []
        for (index, url) in urls.enumerated() {
            let checksum = download.checksums.isEmpty ? nil : download.checksums[index]
            let path = if let outputPath { outputPath } else { try Self.filename(in: url) }
            guard !items.contains(where: { $0.path == path }) else {
                throw UsageError("two URLs have the file name \(path.quoted)")
            }
            items.append(DownloadItem(url: url, path: path, checksum: checksum))
        }
        return items
    }

    /// Returns the last component of a URL's path, which must not lead to another folder.
    private static func filename(in url: String) throws(UsageError) -> String {
        let name = URL(string: url).flatMap { $0.hasDirectoryPath ? nil : $0.lastPathComponent } ?? ""
        guard !["", "/", ".", ".."].contains(name), !name.contains(where: { $0 == "/" || $0 == "\0" }) else {
            throw UsageError("\(url.quoted) has no file name; give one with -o")
        }
        return name
    }
}
