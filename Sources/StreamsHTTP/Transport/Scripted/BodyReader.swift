/// Reads a request's body into memory.
final class BodyReader {
    private static let capacity = 64 * 1024

    private let source: (any BodySource)?
    private(set) var data = Data()
    private var buffer = [UInt8](repeating: 0, count: BodyReader.capacity)

    /// - Parameter source: `nil` for an empty body.
    init(_ source: (any BodySource)?) {
        self.source = source
    }

    var count: Int64 { Int64(data.count) }
    var length: Int64? { source?.length }

    /// Takes the next bytes in.
    func read() -> BodyRead {
        guard let source else { return .end }
        let read = buffer.withUnsafeMutableBytes { source.read(into: $0) }
        switch read {
        case .bytes(let count):
            data.append(contentsOf: buffer[..<count])
        case .end:
            if let declared = source.length, declared != count {
                return .failed(BodyLengthMismatch(declared: declared, actual: count))
            }
        case .waiting, .failed:
            break
        }
        return read
    }
}
