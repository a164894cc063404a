/// Keeps what is read of a body, for whoever records it.
final class BodyTap: Sendable {
    private let bytes = Locked(Data())

    /// What has been read in the sending that is under way.
    var data: Data { bytes.withLock { $0 } }

    fileprivate func begin() {
        bytes.withLock { $0 = Data() }
    }

    fileprivate func append(_ read: UnsafeRawBufferPointer) {
        bytes.withLock { $0.append(contentsOf: read) }
    }
}

/// A source that lets a tap see what is read.
final class TappedSource: BodySource {
    private let source: any BodySource
    private let tap: BodyTap

    init(_ source: any BodySource, _ tap: BodyTap) {
        self.source = source
        self.tap = tap
        tap.begin()
    }

    var length: Int64? { source.length }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyRead {
        let read = source.read(into: buffer)
        if case .bytes(let count) = read { tap.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
        return read
    }

    func cancel() {
        source.cancel()
    }
}

extension HTTPBody {
    /// This body, with a tap that sees what is read of it.
    func tapped(by tap: BodyTap) -> HTTPBody {
        switch self {
        case _ where isEmpty:
            return self
        case .replayable(var body):
            body.content = .tapped(body.content, tap)
            return .replayable(body)
        case .oneShot(var body):
            body.content = .tapped(body.content, tap)
            return .oneShot(body)
        }
    }
}
