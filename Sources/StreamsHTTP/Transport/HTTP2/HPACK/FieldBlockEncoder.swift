/// An encoder of the field blocks of a connection (RFC 7541, section 3).
///
/// Every block has to be sent, and in the order in which the blocks were encoded, since the peer keeps the same table.
struct FieldBlockEncoder {
    typealias Field = HTTPHeaders.Field

    /// The representation of a field (RFC 7541, section 6).
    enum Indexing {
        /// By its index if the table has it; otherwise it is added.
        case added
        /// By its index if the table has it, and never added: for a value that hardly comes again.
        case omitted
        /// Never by its index, and no intermediary may do so either: the size of a block would otherwise tell whether a
        /// guess of a secret is right (RFC 7541, section 7.1).
        case never
    }

    /// The maximum size of the table, whatever the peer allows, in bytes.
    private static let maxTableSize = 4096

    private var table = FieldTable(maxSize: maxTableSize)
    /// The sizes of the table that the next block has to begin with: the smallest since the last block, and the current
    /// one (RFC 7541, section 4.2).
    private var pendingSizes: [Int] = []

    /// Obeys the maximum size of the table that the peer allows.
    mutating func setMaxTableSize(_ limit: Int) {
        let size = min(limit, Self.maxTableSize)
        guard size != table.maxSize else { return }
        table.resize(to: size)
        pendingSizes = if let smallest = pendingSizes.first, smallest < size { [smallest, size] } else { [size] }
    }

    /// Begins a block.
    mutating func begin(_ output: inout [UInt8]) {
        for size in pendingSizes { Self.append(size, prefix: 5, pattern: 0x20, to: &output) }
        pendingSizes = []
    }

    /// Appends a field.
    ///
    /// - Parameters:
    ///   - field: The field, with a name in lower case.
    ///   - indexing: The representation.
    ///   - output: The block under way.
    mutating func append(_ field: Field, _ indexing: Indexing, to output: inout [UInt8]) {
        if indexing != .never, let index = table.index(of: field) {
            return Self.append(index, prefix: 7, pattern: 0x80, to: &output)
        }
        let index = table.index(ofName: field.name) ?? 0
        switch indexing {
        case .added:
            Self.append(index, prefix: 6, pattern: 0x40, to: &output)
            table.add(field)
        case .omitted: Self.append(index, prefix: 4, pattern: 0, to: &output)
        case .never: Self.append(index, prefix: 4, pattern: 0x10, to: &output)
        }
        if index == 0 { Self.append(Array(field.name.utf8), to: &output) }
        Self.append(field.text.bytes, to: &output)
    }

    private static func append(_ value: Int, prefix: Int, pattern: UInt8, to output: inout [UInt8]) {
        let mask = 1 << prefix - 1
        guard value >= mask else { return output.append(pattern | UInt8(value)) }
        output.append(pattern | UInt8(mask))
        var rest = value - mask
        while rest >= 0x80 {
            output.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        output.append(UInt8(rest))
    }

    private static func append(_ text: [UInt8], to output: inout [UInt8]) {
        let count = HuffmanCode.encodedCount(text)
        if count < text.count {
            append(count, prefix: 7, pattern: 0x80, to: &output)
            HuffmanCode.encode(text, to: &output)
        } else {
            append(text.count, prefix: 7, pattern: 0, to: &output)
            output += text
        }
    }
}
