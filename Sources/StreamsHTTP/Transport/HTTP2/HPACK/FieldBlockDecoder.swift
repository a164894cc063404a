/// A decoder of the field blocks of a connection (RFC 7541, section 3).
///
/// Every block has to be decoded, and in the order in which the blocks came, since each may change the table that the next
/// one is read with. After an error, nothing that follows can be read.
struct FieldBlockDecoder {
    typealias Field = HTTPHeaders.Field

    /// The maximum number of bits that an integer may have: more than any index, size or length here needs.
    private static let maxShift = 28

    private let maxTableSize: Int
    private var table: FieldTable

    /// Creates a decoder.
    ///
    /// - Parameter maxTableSize: The size that the table begins with, and that the peer may choose at most, in bytes.
    init(maxTableSize: Int = 4096) {
        self.maxTableSize = maxTableSize
        table = FieldTable(maxSize: maxTableSize)
    }

    /// Decodes a block.
    ///
    /// - Parameters:
    ///   - block: The block, without the frames that it came in.
    ///   - limits: The limits of a head. A field counts with 32 bytes besides its own (RFC 9113, section 6.5.2).
    /// - Returns: The fields in their order; `nil` if they exceed the limits. The table is up to date in both cases.
    mutating func decode(
        _ block: UnsafeRawBufferPointer, limits: RequestOptions.HeadLimits
    ) throws(HTTP2Error) -> [Field]? {
        var input = block[...]
        var fields: [Field] = []
        var size = 0
        var hasField = false
        var isTooLarge = false
        while let first = input.first {
            if first & 0xE0 == 0x20 {
                // At the start only (RFC 7541, section 4.2).
                guard !hasField else { throw .compression("the size of the table changes within a block") }
                try resize(&input)
                continue
            }
            hasField = true
            let field = try self.field(&input, first)
            size += FieldTable.size(of: field)
            isTooLarge = isTooLarge || size > limits.maxSize || fields.count == limits.maxFieldCount
            if !isTooLarge { fields.append(field) }
        }
        return isTooLarge ? nil : fields
    }

    private mutating func resize(_ input: inout Slice<UnsafeRawBufferPointer>) throws(HTTP2Error) {
        let size = try Self.integer(&input, prefix: 5)
        guard size <= maxTableSize else { throw .compression("the table is larger than allowed") }
        table.resize(to: size)
    }

    /// Returns the next field: one of the table, or a literal, which may have the name of one of the table (RFC 7541,
    /// section 6).
    private mutating func field(
        _ input: inout Slice<UnsafeRawBufferPointer>, _ first: UInt8
    ) throws(HTTP2Error) -> Field {
        if first & 0x80 != 0 { return try entry(Self.integer(&input, prefix: 7)) }
        let isAdded = first & 0x40 != 0
        let index = try Self.integer(&input, prefix: isAdded ? 6 : 4)
        let name = index == 0 ? String(decoding: try Self.text(&input), as: UTF8.self) : try entry(index).name
        let field = Field(name: name, text: FieldText(bytes: try Self.text(&input)))
        if isAdded { table.add(field) }
        return field
    }

    private func entry(_ index: Int) throws(HTTP2Error) -> Field {
        guard let field = table[index] else { throw .compression("the table has no field \(index)") }
        return field
    }

    /// Reads an integer that begins in the lower bits of a byte (RFC 7541, section 5.1).
    private static func integer(
        _ input: inout Slice<UnsafeRawBufferPointer>, prefix: Int
    ) throws(HTTP2Error) -> Int {
        let mask = 1 << prefix - 1
        guard let first = input.popFirst() else { throw .compression("an integer is missing") }
        var value = Int(first) & mask
        guard value == mask else { return value }
        for shift in stride(from: 0, to: maxShift, by: 7) {
            guard let byte = input.popFirst() else { throw .compression("an integer is cut") }
            value += Int(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        throw .compression("an integer is too large")
    }

    /// Reads a text (RFC 7541, section 5.2).
    private static func text(_ input: inout Slice<UnsafeRawBufferPointer>) throws(HTTP2Error) -> [UInt8] {
        let isEncoded = input.first.map { $0 & 0x80 != 0 } ?? false
        let count = try integer(&input, prefix: 7)
        guard count <= input.count else { throw .compression("a text is cut") }
        let bytes = input.prefix(count)
        input.removeFirst(count)
        guard isEncoded else { return Array(bytes) }
        guard let text = HuffmanCode.decode(bytes) else { throw .compression("a text has a malformed code") }
        return text
    }
}
