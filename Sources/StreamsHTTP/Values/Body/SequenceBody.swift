/// A body source that reads bodies in sequence. Each is opened when it is reached, so that only one file is open at a
/// time.
// Safe because only the transport's serial calls to `read` use `next` and `check`, and a mutex guards `current`.
final class SequenceBody: HTTPBody.Source, @unchecked Sendable {
    private struct Current {
        var source: (any HTTPBody.Source)?
        var isCancelled = false
    }

    let length: Int64?
    private let bodies: [HTTPBody]
    private let lengths: [Int64?]
    private let onReadable: @Sendable () -> Void
    private let current = Locked(Current())
    private var next = 0
    /// The check of the current body.
    private var check = LengthCheck(declared: nil)

    /// Creates a source of the bodies.
    ///
    /// - Throws: ``FileError`` if a file's length cannot be read; the error of an encoder.
    init(_ bodies: [HTTPBody], onReadable: @escaping @Sendable () -> Void) throws {
        var lengths: [Int64?] = []
        for body in bodies { lengths.append(try body.content.measuredLength()) }
        self.bodies = bodies
        self.lengths = lengths
        self.onReadable = onReadable
        length = BodyContent.sum(lengths)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBody.ReadResult {
        while true {
            let source: any HTTPBody.Source
            do {
                guard let open = try currentOrNext() else { return .end }
                source = open
            } catch {
                return .failed(error)
            }
            // The next body must not be sent in place of missing bytes.
            let read = check.checking(source.read(into: buffer))
            switch read {
            case .bytes, .waiting, .failed:
                return read
            case .end:
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

    /// Returns the current source, or opens the next one; `nil` at the end.
    private func currentOrNext() throws -> (any HTTPBody.Source)? {
        if let source = current.withLock({ $0.source }) { return source }
        while next < bodies.count {
            let body = bodies[next]
            let declared = lengths[next]
            next += 1
            check = LengthCheck(declared: declared)
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
            // The file may have changed since its length was read.
            if let declared, let actual = source.length, actual != declared {
                throw HTTPBody.Failure.lengthMismatch(declared: declared, actual: actual)
            }
            return source
        }
        return nil
    }
}
