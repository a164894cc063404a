/// A strict decoder of a client's field blocks (RFC 7541). Each error ends the connection.
struct HPACKDecoder {
    private var table = HPACKTable()
    /// The size that the client may give the table.
    private var limit = HTTP2Constants.headerTableSize
    /// Whether the next block must begin with a size update, because the client has acknowledged a smaller table.
    private var mustShrink = false

    /// Raises the limit of the table, which the client may use from the receipt of the setting on.
    mutating func allow(_ size: Int) {
        limit = max(limit, size)
    }

    /// Sets the limit of the table, which the client has acknowledged.
    mutating func limit(to size: Int) {
        limit = size
        mustShrink = table.capacity > size
    }

    /// Decodes a field block.
    mutating func decode(_ block: [UInt8]) throws(HTTP2Violation) -> [HPACKField] {
        var input = HPACKInput(block)
        var fields: [HPACKField] = []
        while let first = input.first {
            if first & 0xE0 == 0x20 {
                guard fields.isEmpty else { throw Self.violation("a size update after a field") }
                let size = try input.integer(prefix: 5)
                guard size <= limit else { throw Self.violation("a table of \(size) bytes, not \(limit)") }
                table.resize(to: size)
                mustShrink = false
                continue
            }
            guard !mustShrink else { throw Self.violation("a block without the size update to \(limit) bytes") }
            fields.append(try field(first, &input))
        }
        return fields
    }

    private mutating func field(_ first: UInt8, _ input: inout HPACKInput) throws(HTTP2Violation) -> HPACKField {
        if first & 0x80 != 0 { return try indexed(input.integer(prefix: 7)) }
        let isAdded = first & 0x40 != 0
        let index = try input.integer(prefix: isAdded ? 6 : 4)
        let name = index == 0 ? try input.string() : try indexed(index).name
        let field = HPACKField(name, try input.string())
        if isAdded { table.add(field) }
        return field
    }

    private func indexed(_ index: Int) throws(HTTP2Violation) -> HPACKField {
        guard let field = table.field(at: index) else { throw Self.violation("no field has the index \(index)") }
        return field
    }

    fileprivate static func violation(_ reason: String) -> HTTP2Violation {
        HTTP2Violation(.compressionError, reason)
    }
}

/// The rest of a field block.
private struct HPACKInput {
    private var rest: ArraySlice<UInt8>

    init(_ block: [UInt8]) {
        rest = block[...]
    }

    var first: UInt8? { rest.first }

    /// Reads an integer whose first byte has a number of bits for it (RFC 7541 section 5.1).
    mutating func integer(prefix bits: Int) throws(HTTP2Violation) -> Int {
        let mask = (1 << bits) - 1
        var value = Int(try byte()) & mask
        guard value == mask else { return value }
        // Four bytes are enough for every size and index of a block.
        for shift in stride(from: 0, to: 28, by: 7) {
            let next = try byte()
            value += Int(next & 0x7F) << shift
            if next & 0x80 == 0 { return value }
        }
        throw HPACKDecoder.violation("an integer of more than 28 bits")
    }

    /// Reads a string, which may have the Huffman code (RFC 7541 section 5.2).
    mutating func string() throws(HTTP2Violation) -> [UInt8] {
        guard let first else { throw HPACKDecoder.violation("a truncated block") }
        let count = try integer(prefix: 7)
        guard count <= rest.count else { throw HPACKDecoder.violation("a truncated string") }
        let bytes = rest.prefix(count)
        rest = rest.dropFirst(count)
        guard first & 0x80 != 0 else { return Array(bytes) }
        guard let decoded = HuffmanCode.decode(bytes) else { throw HPACKDecoder.violation("a malformed Huffman code") }
        return decoded
    }

    private mutating func byte() throws(HTTP2Violation) -> UInt8 {
        guard let byte = rest.popFirst() else { throw HPACKDecoder.violation("a truncated block") }
        return byte
    }
}
