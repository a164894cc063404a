/// The paths of the files that a download has beside its target while it runs.
///
/// Their names are this package's own. A target cannot have such a name: it would be the file of another download.
struct PartialPaths {
    private static let suffix = ".streams-part"
    private static let recordSuffix = "\(suffix).json"
    private static let nextRecordSuffix = "\(recordSuffix).new"
    /// The size in bytes of the largest name of a target that the names contain as it is. File systems allow 255 bytes.
    private static let maxStemSize = 215
    /// The size in bytes of the beginning of a larger name, which its digest follows.
    private static let prefixSize = 150

    /// The path of the partial file.
    let contents: String
    /// The path of the record of its contents.
    let record: String
    /// The path of the next record, which replaces the record when it is complete.
    let nextRecord: String

    init(of target: String) throws(HTTPError.Reason) {
        let slash = target.utf8.lastIndex(of: UInt8(ascii: "/"))
        let start = slash.map { target.utf8.index(after: $0) } ?? target.startIndex
        guard !Self.isReserved(target[start...]) else {
            throw .thrown(FileError(path: target, code: EINVAL), by: .file)
        }
        let stem = target[..<start] + Self.stem(of: target[start...])
        contents = stem + Self.suffix
        record = stem + Self.recordSuffix
        nextRecord = stem + Self.nextRecordSuffix
    }

    /// Returns whether a name is that of a file beside a target.
    static func isReserved(_ name: some StringProtocol) -> Bool {
        // Some file systems ignore case.
        let name = name.lowercased()
        return [suffix, recordSuffix, nextRecordSuffix].contains { name.hasSuffix($0) }
    }

    /// Returns the common beginning of the names that belong to a target's name.
    private static func stem(of name: Substring) -> String {
        guard name.utf8.count > maxStemSize else { return String(name) }
        var hash = SHA2(.sha256)
        Array(name.utf8).withUnsafeBytes { hash.update($0) }
        let digits = FileChecksum(hash).description.split(separator: ":").last ?? ""
        // A character that is cut off is replaced by one of three bytes.
        return String(decoding: name.utf8.prefix(prefixSize), as: UTF8.self) + ".\(digits)"
    }
}
