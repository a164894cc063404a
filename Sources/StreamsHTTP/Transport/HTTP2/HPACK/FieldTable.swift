/// The table of fields that the two sides of a connection keep alike, so that one sends the place of a field instead of
/// the field (RFC 7541, section 2.3).
struct FieldTable {
    typealias Field = HTTPHeaders.Field

    /// The size of an entry besides its bytes (RFC 7541, section 4.1).
    private static let overhead = 32

    /// The fields that every table begins with (RFC 7541, appendix A).
    static let fixed: [Field] = [
        (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"),
        (":scheme", "http"), (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"),
        (":status", "304"), (":status", "400"), (":status", "404"), (":status", "500"), ("accept-charset", ""),
        ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""), ("accept", ""),
        ("access-control-allow-origin", ""), ("age", ""), ("allow", ""), ("authorization", ""), ("cache-control", ""),
        ("content-disposition", ""), ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
        ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""), ("date", ""),
        ("etag", ""), ("expect", ""), ("expires", ""), ("from", ""), ("host", ""), ("if-match", ""),
        ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""), ("if-unmodified-since", ""),
        ("last-modified", ""), ("link", ""), ("location", ""), ("max-forwards", ""), ("proxy-authenticate", ""),
        ("proxy-authorization", ""), ("range", ""), ("referer", ""), ("refresh", ""), ("retry-after", ""),
        ("server", ""), ("set-cookie", ""), ("strict-transport-security", ""), ("transfer-encoding", ""),
        ("user-agent", ""), ("vary", ""), ("via", ""), ("www-authenticate", ""),
    ].map { Field(name: $0.0, value: $0.1) }

    /// The index of the first fixed field of each name.
    private static let fixedIndices = Dictionary(
        fixed.enumerated().map { ($0.element.name, $0.offset + 1) }, uniquingKeysWith: { first, _ in first })

    /// The fields that were added, the oldest first. Those before ``start`` are no longer in the table.
    private var added: [Field] = []
    private var start = 0
    private var size = 0
    private(set) var maxSize: Int

    /// Creates a table of the fixed fields.
    ///
    /// - Parameter maxSize: The maximum size of the fields that are added, in bytes.
    init(maxSize: Int) {
        self.maxSize = maxSize
    }

    /// The size of an entry.
    static func size(of field: Field) -> Int {
        field.name.utf8.count + field.text.byteCount + overhead
    }

    /// The field with an index: first the fixed ones, from 1 on, then those that were added, the newest first; `nil` if
    /// there is none.
    subscript(index: Int) -> Field? {
        if Self.fixed.indices.contains(index - 1) { return Self.fixed[index - 1] }
        let place = added.count + Self.fixed.count - index
        return (start..<added.count).contains(place) ? added[place] : nil
    }

    /// Returns the index of a field; `nil` if the table does not have it.
    func index(of field: Field) -> Int? {
        if let first = Self.fixedIndices[field.name] {
            let named = Self.fixed[(first - 1)...].prefix { $0.name == field.name }
            if let place = named.firstIndex(where: { $0.text == field.text }) { return place + 1 }
        }
        return index { $0.name == field.name && $0.text == field.text }
    }

    /// Returns the index of a field with a name; `nil` if the table does not have one.
    func index(ofName name: String) -> Int? {
        Self.fixedIndices[name] ?? index { $0.name == name }
    }

    /// Returns the index of the newest field that was added and meets a condition.
    private func index(where condition: (Field) -> Bool) -> Int? {
        added[start...].lastIndex(where: condition).map { Self.fixed.count + added.count - $0 }
    }

    /// Adds a field, and removes the oldest ones for it. A field that is larger than the table empties it.
    mutating func add(_ field: Field) {
        let own = Self.size(of: field)
        shrink(to: maxSize - own)
        guard own <= maxSize else { return }
        added.append(field)
        size += own
    }

    /// Changes the maximum size.
    mutating func resize(to newSize: Int) {
        maxSize = newSize
        shrink(to: newSize)
    }

    private mutating func shrink(to limit: Int) {
        while size > max(limit, 0), start < added.count {
            size -= Self.size(of: added[start])
            start += 1
        }
        // Removing fields one by one would move all others each time.
        guard start > added.count / 2 else { return }
        added.removeFirst(start)
        start = 0
    }
}
