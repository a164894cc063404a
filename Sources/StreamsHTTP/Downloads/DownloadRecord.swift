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
        let validator = method == .get ? DownloadValidator(head) : nil
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
    var validator: DownloadValidator? {
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
        guard let validator, validator.allows(head), head.contentCodings == contentCodings,
            let range = ContentRange(of: head), let bounds = range.bounds, bounds.lowerBound == offset,
            let length = range.total, length == total ?? length,
            head.declaredLength ?? Int64(bounds.count) == Int64(bounds.count)
        else { return nil }
        total = length
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

/// A strong validator of a representation (RFC 9110, section 8.8.1), for `If-Range`.
enum DownloadValidator: Equatable {
    case entityTag(FieldText)
    case lastModified(FieldText)

    /// The time by which the date of a response has to be later than its modification, in seconds: then no second
    /// modification can have followed in the same second, even if two clocks differ (RFC 9110, section 8.8.2.2).
    private static let minimumAge = 60.0

    /// - Returns: `nil` if the response has no strong validator.
    init?(_ head: HTTPResponse<Void>) {
        // A date takes the place of a tag only if there is none (RFC 9110, section 13.1.5). A value outside the grammar,
        // such as one without quotation marks, is none.
        if head.headers.texts(for: "ETag").contains(where: \.isEntityTag) {
            guard let entityTag = head.headers.unanimousValue(for: "ETag"), entityTag.isStrongEntityTag else {
                return nil
            }
            self = .entityTag(entityTag)
            return
        }
        // Unlike a tag, the date is common to all codings of the content.
        guard !head.headers.contains("Content-Encoding"),
            let text = head.headers.unanimousValue(for: "Last-Modified"), text.isReturnable,
            let modification = HTTPDate(text.string)?.date,
            let date = head.headers["Date"].flatMap(HTTPDate.init)?.date,
            date.timeIntervalSince(modification) >= Self.minimumAge
        else { return nil }
        self = .lastModified(text)
    }

    /// The value of `If-Range`.
    var condition: FieldText {
        switch self {
        case .entityTag(let text), .lastModified(let text): text
        }
    }

    /// Whether the value can be sent: a record may have been changed.
    fileprivate var isWellFormed: Bool {
        switch self {
        case .entityTag(let tag): tag.isStrongEntityTag
        case .lastModified(let text): HTTPDate(text.string) != nil && text.isReturnable
        }
    }

    /// Whether a response to the condition may be of the same representation. A partial response has the same entity
    /// tag (RFC 9110, section 15.3.7), and the response to an unsatisfiable range need not have any.
    fileprivate func allows(_ head: HTTPResponse<Void>) -> Bool {
        switch self {
        case .entityTag(let tag):
            head.headers.texts(for: "ETag").allSatisfy { $0 == tag }
                && (head.headers.contains("ETag") || head.status == .rangeNotSatisfiable)
        case .lastModified(let text):
            head.headers.texts(for: "Last-Modified").allSatisfy { $0 == text }
                && !head.headers.contains("Content-Encoding")
        }
    }

    /// Whether a whole response has this validator.
    func isValidator(of head: HTTPResponse<Void>) -> Bool { DownloadValidator(head) == self }
}

extension FieldText {
    /// Whether this is an entity tag that is not weak, and that can be sent back.
    var isStrongEntityTag: Bool { isReturnable && Self.isOpaqueTag(bytes[...]) }

    /// Whether this is an entity tag, weak or strong (RFC 9110, section 8.8.3).
    fileprivate var isEntityTag: Bool {
        let bytes = bytes
        return Self.isOpaqueTag(bytes.starts(with: "W/".utf8) ? bytes.dropFirst(2) : bytes[...])
    }

    private static func isOpaqueTag(_ bytes: ArraySlice<UInt8>) -> Bool {
        let mark = UInt8(ascii: "\"")
        return bytes.count >= 2 && bytes.first == mark && bytes.last == mark
            && bytes.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != mark }
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
