extension Download {
    /// The options of a download.
    public struct Options: Sendable {
        /// The expected checksum of the file; `nil`, the default, for none. A file with another one is removed, and the
        /// download fails with ``HTTPError/Transfer/checksumMismatch``.
        public var checksum: Checksum?
        /// The permissions of the complete file, `0o600` by default: only its owner can read and write it. The partial
        /// file always has these.
        public var permissions = 0o600

        /// Creates options.
        ///
        /// - Parameter checksum: The expected checksum of the file.
        public init(checksum: Checksum? = nil) {
            self.checksum = checksum
        }
    }
}
