import CLibcurl

/// The certificate authorities that libcurl was built with.
///
/// On most systems they are a file and a directory, which contain the same authorities. libcurl keeps the contents of a
/// file in memory, but only if there is no directory. Otherwise it reads the file for each new connection.
enum SystemTrustRoots {
    /// The file that libcurl would read besides a directory; `nil` if it has none, or no directory.
    private static let fileBesideDirectory: String? = {
        guard let info = curl_version_info(0)?.pointee, info.age >= 6, info.trust_path != nil else { return nil }
        return info.trust_file.map { String(cString: $0) }
    }()

    /// The file to read instead of the file and the directory; `nil` if there is none.
    static var file: String? {
        fileBesideDirectory.flatMap { access($0, R_OK) == 0 ? $0 : nil }
    }
}
