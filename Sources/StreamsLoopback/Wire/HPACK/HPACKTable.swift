/// A field in a block of HPACK: bytes, which need not be valid.
struct HPACKField: Sendable, Equatable {
    var name: [UInt8]
    var value: [UInt8]

    init(_ name: some Sequence<UInt8>, _ value: some Sequence<UInt8>) {
        self.name = Array(name)
        self.value = Array(value)
    }

    /// The size in a table (RFC 7541 section 4.1).
    var size: Int { name.count + value.count + 32 }
}

/// The fixed and the dynamic table of a decoder (RFC 7541 section 2.3).
struct HPACKTable {
    /// The newest entry is first.
    private var entries: [HPACKField] = []
    private var size = 0
    private(set) var capacity = HTTP2Constants.headerTableSize

    /// Returns the field of an index, from 1; `nil` if there is none.
    func field(at index: Int) -> HPACKField? {
        let position = index - 1
        if Self.fixed.indices.contains(position) { return Self.fixed[position] }
        let later = position - Self.fixed.count
        return entries.indices.contains(later) ? entries[later] : nil
    }

    /// Adds a field. One that is larger than the table empties it.
    mutating func add(_ field: HPACKField) {
        evict(downTo: capacity - field.size)
        guard field.size <= capacity else { return }
        entries.insert(field, at: 0)
        size += field.size
    }

    /// Changes the capacity.
    mutating func resize(to newCapacity: Int) {
        capacity = newCapacity
        evict(downTo: newCapacity)
    }

    private mutating func evict(downTo limit: Int) {
        while size > limit, let last = entries.popLast() { size -= last.size }
    }

    /// The fixed table (RFC 7541 appendix A).
    static let fixed: [HPACKField] =
        pseudoFields.map { HPACKField($0.utf8, $1.utf8) }
        + names.map { HPACKField($0.utf8, $0 == "accept-encoding" ? Array("gzip, deflate".utf8) : []) }

    private static let pseudoFields = [
        (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"),
        (":scheme", "http"), (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"),
        (":status", "304"), (":status", "400"), (":status", "404"), (":status", "500"),
    ]

    private static let names = [
        "accept-charset", "accept-encoding", "accept-language", "accept-ranges", "accept",
        "access-control-allow-origin", "age", "allow", "authorization", "cache-control", "content-disposition",
        "content-encoding", "content-language", "content-length", "content-location", "content-range", "content-type",
        "cookie", "date", "etag", "expect", "expires", "from", "host", "if-match", "if-modified-since",
        "if-none-match", "if-range", "if-unmodified-since", "last-modified", "link", "location", "max-forwards",
        "proxy-authenticate", "proxy-authorization", "range", "referer", "refresh", "retry-after", "server",
        "set-cookie", "strict-transport-security", "transfer-encoding", "user-agent", "vary", "via",
        "www-authenticate",
    ]
}
