@testable import StreamsHTTP

/// The fields of a connection's blocks are within the limits, and the same after they have been encoded and decoded again.
func fuzzFieldBlocks(_ input: inout Input) throws {
    var limits = RequestOptions.HeadLimits()
    limits.maxSize = Int(input.byte()) * 64
    limits.maxFieldCount = Int(input.byte())
    var decoder = FieldBlockDecoder()
    var encoder = FieldBlockEncoder()
    var other = FieldBlockDecoder()
    while !input.isEmpty {
        let tableSize = Int(input.byte()) * 32
        let block = (0..<input.byte()).map { _ in input.byte() }
        do {
            guard let fields = try decoder.decode(block, limits: limits) else { continue }
            expect(fields.count <= limits.maxFieldCount, "there are too many fields")
            let size = fields.reduce(0) { $0 + $1.name.utf8.count + $1.bytes.count + 32 }
            expect(size <= limits.maxSize, "the fields are too large")
            encoder.setMaxTableSize(tableSize)
            var encoded: [UInt8] = []
            encoder.begin(&encoded)
            for (index, field) in fields.enumerated() {
                encoder.append(field, [.added, .omitted, .never][index % 3], to: &encoded)
            }
            let again = try other.decode(encoded, limits: limits)
            expectEqual(again, fields, "the fields differ")
        } catch let error as HTTP2Error {
            expect(error.code == .compressionError && error.stream == nil, "the error is \(error)")
            return
        }
    }
}

extension FieldBlockDecoder {
    fileprivate mutating func decode(
        _ block: [UInt8], limits: RequestOptions.HeadLimits
    ) throws -> [HTTPHeaders.Field]? {
        try block.withUnsafeBytes { try decode($0, limits: limits) }
    }
}
