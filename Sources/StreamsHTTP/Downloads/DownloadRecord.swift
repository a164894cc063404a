/// The record of a partial file: the representation that the file contains a part of.
struct DownloadRecord: Codable, Equatable {
    /// The version of the format. Records of another version are not used.
    private static let version = 1

    private var version = Self.version
    /// The digest of the URL, which may itself contain secrets.
    let url: String
    private let entityTag: FieldText?
    private let lastModified: FieldText?
    /// The content codings of the file's contents; `nil` if there are none.
    private let contentCodings: String?
    /// The length of the representation; `nil` if the server has not declared it.
    var total: Int64?

    /// Creates the record of a response that contains the whole representation.
    init(_ head: HTTPResponse<Void>, to method: HTTPMethod, url: String) {
        self.url = Self.digest(of: url)
        let validator = method == .get ? StrongValidator(head.headers) : nil
        entityTag = if case .entityTag(let tag) = validator { tag } else { nil }
        lastModified = if case .lastModified(let date) = validator { date } else { nil }
        contentCodings = head.contentCodings
        total = head.contentLength(inAnswerTo: method)
    }

    /// Reads a record; `nil` if the contents are not those of a record, of whatever version.
    init?(_ contents: Data) {
        guard let record = try? JSONDecoder().decode(DownloadRecord.self, from: contents),
            FileChecksum(record.url) != nil
        else { return nil }
        self = record
    }

    /// The validator; `nil` if the download cannot be resumed.
    var validator: StrongValidator? {
        entityTag.map { .entityTag($0) } ?? lastModified.map { .lastModified($0) }
    }

    var encoded: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings and numbers can always be encoded; an empty record is one that cannot be used.
        return (try? encoder.encode(self)) ?? Data()
    }

    /// Returns whether a download from a URL can use the record, which may have been changed.
    func isUsable(for url: String) -> Bool {
        version == Self.version && self.url == Self.digest(of: url) && total ?? 0 >= 0
            && validator?.isWellFormed ?? true
    }

    private static func digest(of url: String) -> String {
        var hash = SHA2(.sha256)
        Array(url.utf8).withUnsafeBytes { hash.update($0) }
        return FileChecksum(hash).description
    }
}

extension DownloadRecord {
    /// Returns the range that a response contains, and keeps the total length that it declares; `nil` if the response
    /// does not continue the representation at an offset.
    mutating func continuation(in head: HTTPResponse<Void>, at offset: Int64) -> ClosedRange<Int64>? {
        guard head.contentCodings == contentCodings,
            let (bounds, total) = validator?.continuation(in: head, at: offset, of: total)
        else { return nil }
        self.total = total
        return bounds
    }

    /// Whether a response means that the representation is still the recorded one: it is the answer to its entity tag, or
    /// it is the same as the recorded one.
    func isUnchanged(by head: HTTPResponse<Void>, url: String) -> Bool {
        guard head.status == .notModified else { return DownloadRecord(head, to: .get, url: url) == self }
        // A server may compare weakly, but the contents of a file have to be the same ones (RFC 9110, section 8.8.3.2).
        guard case .entityTag(let tag) = validator else { return false }
        return head.headers.texts(for: "ETag").allSatisfy { $0 == tag }
    }

    /// Whether a response means that there is nothing after an offset (RFC 9110, section 15.5.17).
    func isComplete(by head: HTTPResponse<Void>, at offset: Int64) -> Bool {
        guard let validator, validator.allows(head), let range = ContentRange(of: head), range.bounds == nil
        else { return false }
        return range.total == offset && total ?? offset == offset
    }
}

extension HTTPResponse<Void> {
    /// The codings of the content (RFC 9110, section 8.4); `nil` if there are none. The parts of a file have the same
    /// ones, whatever their entity tag.
    fileprivate var contentCodings: String? {
        let codings = ContentCoding.names(in: headers).map { $0.lowercased() }
        return codings.isEmpty ? nil : codings.joined(separator: ",")
    }
}
