/// Bodies one after another, each opened when its turn comes, so that any number of files needs one descriptor.
// Safe because what the transport alone uses is touched by its calls alone, one at a time; the rest is locked.
final class SequenceBody: BodySource, @unchecked Sendable {
    private struct Current {
        var source: (any BodySource)?
        var isCancelled = false
    }

    let length: Int64?
    private let bodies: [HTTPBody]
    private let lengths: [Int64?]
    private let onReadable: @Sendable () -> Void
    private let current = Locked(Current())
    private var next = 0
    private var sent: Int64 = 0

    /// - Throws: ``FileError`` for a file that cannot be measured.
    init(_ bodies: [HTTPBody], onReadable: @escaping @Sendable () -> Void) throws(FileError) {
        var lengths: [Int64?] = []
        for body in bodies { lengths.append(try body.content.measuredLength()) }
        self.bodies = bodies
        self.lengths = lengths
        self.onReadable = onReadable
        length = BodyContent.sum(lengths)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyRead {
        while true {
            let source: any BodySource
            do {
                guard let open = try currentOrNext() else { return .end }
                source = open
            } catch {
                return .failed(error)
            }
            let read = source.read(into: buffer)
            switch read {
            case .bytes(let count):
                sent += Int64(count)
                return read
            case .waiting, .failed:
                return read
            case .end:
                // What follows must not slip into the place of what is missing.
                if let declared = lengths[next - 1], declared != sent {
                    return .failed(BodyLengthMismatch(declared: declared, actual: sent))
                }
                let over = current.withLock { current in
                    defer { current.source = nil }
                    return current.source
                }
                over?.cancel()
            }
        }
    }

    func cancel() {
        let source = current.withLock { current in
            defer { current = Current(source: nil, isCancelled: true) }
            return current.source
        }
        source?.cancel()
    }

    /// - Returns: `nil` at the end.
    private func currentOrNext() throws -> (any BodySource)? {
        if let source = current.withLock({ $0.source }) { return source }
        while next < bodies.count {
            let body = bodies[next]
            let declared = lengths[next]
            next += 1
            sent = 0
            guard let source = try body.open(onReadable: onReadable) else { continue }
            let isWanted = current.withLock { current in
                guard !current.isCancelled else { return false }
                current.source = source
                return true
            }
            guard isWanted else {
                source.cancel()
                throw CancellationError()
            }
            // A file may have changed since it was measured.
            if let declared, let actual = source.length, actual != declared {
                throw BodyLengthMismatch(declared: declared, actual: actual)
            }
            return source
        }
        return nil
    }
}
