/// The check that the source of a body has as many bytes as it declares.
struct LengthCheck {
    /// The length in bytes; `nil` if it is unknown.
    let declared: Int64?
    /// The number of bytes that have been read.
    private(set) var count: Int64 = 0

    init(declared: Int64?) {
        self.declared = declared
    }

    /// Records the result of a read.
    ///
    /// - Returns: The result; ``HTTPBody/Failure/lengthMismatch(declared:actual:)`` for an end after another number of
    ///   bytes.
    mutating func checking(_ result: HTTPBody.ReadResult) -> HTTPBody.ReadResult {
        switch result {
        case .bytes(let size):
            count += Int64(size)
        case .end:
            guard let declared, declared != count else { break }
            return .failed(HTTPBody.Failure.lengthMismatch(declared: declared, actual: count))
        case .waiting, .failed: break
        }
        return result
    }
}
