import StreamsHTTP

extension String {
    /// Creates the folders that this path leads through, unless they exist. Their mode is that of curl.
    func createFolders() throws(SystemError) {
        for slash in utf8.indices.dropFirst() where utf8[slash] == UInt8(ascii: "/") {
            let folder = String(self[..<slash])
            guard mkdir(folder, 0o750) == 0 || errno == EEXIST else {
                throw SystemError(action: "cannot create \(folder)", code: errno)
            }
        }
    }
}
