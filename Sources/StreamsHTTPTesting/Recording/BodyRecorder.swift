import StreamsHTTP

/// A recorder of the bytes that an exchange reads of a request's body.
final class BodyRecorder: Sendable {
    private let bytes = Locked(Data())

    /// The bytes that the latest source has delivered.
    var data: Data { bytes.withLock { $0 } }

    /// Returns a body whose bytes are recorded when it is sent.
    func recording(_ body: HTTPBody) -> HTTPBody {
        body.wrappingSource { [self] source, _ in
            bytes.withLock { $0 = Data() }
            return Source(base: source, recorder: self)
        }
    }

    private final class Source: HTTPBody.Source {
        private let base: any HTTPBody.Source
        private let recorder: BodyRecorder

        init(base: any HTTPBody.Source, recorder: BodyRecorder) {
            self.base = base
            self.recorder = recorder
        }

        var length: Int64? { base.length }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBody.ReadResult {
            let read = base.read(into: buffer)
            if case .bytes(let count) = read {
                let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                recorder.bytes.withLock { $0.append(contentsOf: bytes) }
            }
            return read
        }

        func cancel() {
            base.cancel()
        }
    }
}
