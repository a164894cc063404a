/// A plain encoder of field blocks: it uses the fixed table and literals, and never the dynamic table.
enum HPACKEncoder {
    /// The size update that gives up the dynamic table.
    static let sizeUpdateToZero: [UInt8] = [0x20]

    /// Returns the encoded field.
    static func encode(_ field: HPACKField) -> [UInt8] {
        if let index = exactIndices[field.name]?[field.value] { return integer(index, prefix: 7, first: 0x80) }
        let index = nameIndices[field.name] ?? 0
        return integer(index, prefix: 4, first: 0) + (index == 0 ? string(field.name) : []) + string(field.value)
    }

    /// Returns the encoded fields.
    static func encode(_ fields: some Sequence<HPACKField>) -> [UInt8] {
        fields.flatMap(encode)
    }

    private static func string(_ bytes: [UInt8]) -> [UInt8] {
        integer(bytes.count, prefix: 7, first: 0) + bytes
    }

    private static func integer(_ value: Int, prefix bits: Int, first: UInt8) -> [UInt8] {
        let mask = (1 << bits) - 1
        guard value >= mask else { return [first | UInt8(truncatingIfNeeded: value)] }
        var bytes = [first | UInt8(truncatingIfNeeded: mask)]
        var rest = value - mask
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
        return bytes
    }

    private static let nameIndices: [[UInt8]: Int] = Dictionary(
        HPACKTable.fixed.enumerated().map { ($1.name, $0 + 1) }, uniquingKeysWith: { first, _ in first })

    private static let exactIndices: [[UInt8]: [[UInt8]: Int]] = HPACKTable.fixed.enumerated().reduce(into: [:]) {
        indices, entry in
        indices[entry.element.name, default: [:]][entry.element.value] = entry.offset + 1
    }
}
