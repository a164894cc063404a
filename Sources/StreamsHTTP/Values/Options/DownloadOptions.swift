/// The options of a download, beside those of its request.
///
/// An option that is not set is that of ``HTTPClient/Configuration/downloadOptions``.
public struct DownloadOptions: OptionGroup, Hashable, Sendable {
    struct Values: Hashable, Sendable {
        var checksum: FileChecksum?
        var permissions = 0o600
    }

    var settings = unset

    private static let unset = Settings(Values())

    /// Creates options of which none is set.
    public init() {}

    /// Creates options of which the checksum alone is set.
    public init(checksum: FileChecksum?) {
        self.checksum = checksum
    }

    /// The expected checksum of the file; `nil`, the default, for none. A file with another one is removed, and the
    /// download fails with ``HTTPError/Transfer/checksumMismatch``.
    public var checksum: FileChecksum? {
        get { settings.checksum }
        set { settings.checksum = newValue }
    }

    /// The permissions of the complete file, `0o600` by default: only its owner can read and write it. The partial
    /// file always has these.
    public var permissions: Int {
        get { settings.permissions }
        set { settings.permissions = newValue }
    }
}

extension DownloadOptions: CustomReflectable {
    public var customMirror: Mirror { Mirror(options: self) }
}
