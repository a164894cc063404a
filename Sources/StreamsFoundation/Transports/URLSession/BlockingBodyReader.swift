import Dispatch
import Foundation
import Streams
import StreamsHTTP

/// A reader of a request's body for one attempt, with blocking reads.
// Safe because a lock guards all mutable state, and one thread at a time reads.
final class BlockingBodyReader: @unchecked Sendable {
    fileprivate enum Stage {
        case open
        case ended
        case failed(any Error)
        case cancelled
    }

    fileprivate struct State {
        var source: (any HTTPBody.Source)?
        var stage = Stage.open
        var count: Int64 = 0
        var isUnread = true
        var isWaiting = false
        var lastWaitEnd: ContinuousClock.Instant?
    }

    private let state: Locked<State>
    private let readable: DispatchSemaphore
    /// The length of the body, nil if it is unknown.
    let length: Int64?

    /// Opens a body. Returns nil for an empty body.
    init?(_ body: HTTPBody) throws {
        let readable = DispatchSemaphore(value: 0)
        guard let source = try body.open(onReadable: { readable.signal() }) else { return nil }
        self.readable = readable
        length = source.length
        state = Locked(State(source: source))
    }

    /// The error with which reading failed.
    var failure: (any Error)? { state.withLock { $0.failure } }
    /// Whether no read has begun.
    var isUnread: Bool { state.withLock { $0.isUnread } }
    /// Whether the body has ended, failed or been cancelled.
    var isOver: Bool { state.withLock { $0.isOver } }
    /// The end of the last wait for the source, now if a wait is in progress, nil if there was none.
    var lastWaitEnd: ContinuousClock.Instant? { state.withLock { $0.isWaiting ? .now : $0.lastWaitEnd } }

    fileprivate var status: Stream.Status {
        switch state.withLock({ $0.stage }) {
        case .open: .open
        case .ended: .atEnd
        case .failed, .cancelled: .error
        }
    }

    /// Waits for the next bytes and copies them.
    ///
    /// - Returns: The number of bytes, 0 at the end, -1 after a failure or a cancellation.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            guard let source = state.withLock({ $0.begin() }) else { return status == .atEnd ? 0 : -1 }
            let read = source.read(into: buffer)
            switch read {
            case .bytes(let count):
                state.withLock { $0.count += Int64(count) }
                return count
            case .waiting:
                state.withLock { $0.isWaiting = true }
                readable.wait()
            case .end:
                let count = state.withLock { $0.count }
                if let length, length != count {
                    return fail(HTTPBody.Failure.lengthMismatch(declared: length, actual: count))
                }
                end(.ended)
                return 0
            case .failed(let error):
                return fail(error)
            }
        }
    }

    private func fail(_ error: any Error) -> Int {
        end(.failed(error))
        return -1
    }

    /// Cancels the source and ends a blocked read.
    func cancel() {
        end(.cancelled)
        readable.signal()
    }

    /// Sets the stage unless the body is over, and cancels and releases the source.
    private func end(_ stage: Stage) {
        let source = state.withLock { state in
            if !state.isOver { state.stage = stage }
            defer { state.source = nil }
            return state.source
        }
        source?.cancel()
    }
}

extension BlockingBodyReader.State {
    fileprivate var failure: (any Error)? {
        if case .failed(let error) = stage { error } else { nil }
    }

    fileprivate var isOver: Bool {
        if case .open = stage { false } else { true }
    }

    fileprivate mutating func begin() -> (any HTTPBody.Source)? {
        isUnread = false
        if isWaiting { lastWaitEnd = .now }
        isWaiting = false
        return isOver ? nil : source
    }
}

extension BlockingBodyReader {
    #if canImport(Darwin)
    /// Returns a bound stream that a thread of its own fills. Sessions on Darwin accept no subclass of `InputStream`.
    func makeStream() -> InputStream {
        var input: InputStream?
        var output: OutputStream?
        Stream.getBoundStreams(withBufferSize: 64 * 1024, inputStream: &input, outputStream: &output)
        if let output {
            let pump = BodyPump(reader: self, output: output)
            Thread.detachNewThread { pump.run() }
        }
        return input ?? InputStream(data: Data())
    }
    #else
    /// Returns a stream that a session can read.
    func makeStream() -> InputStream {
        BodyInputStream(self)
    }
    #endif
}

#if canImport(Darwin)
/// A copy of a body into a stream.
// Safe because only its thread uses it.
private struct BodyPump: @unchecked Sendable {
    let reader: BlockingBodyReader
    let output: OutputStream

    func run() {
        output.open()
        defer { output.close() }
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = buffer.withUnsafeMutableBytes { reader.read(into: $0) }
            guard count > 0 else { return }
            var start = 0
            while start < count {
                let written = buffer[start..<count].withUnsafeBufferPointer { bytes in
                    bytes.baseAddress.map { output.write($0, maxLength: bytes.count) } ?? -1
                }
                guard written > 0 else { return reader.cancel() }
                start += written
            }
        }
    }
}
#else
/// A body as a stream with blocking reads.
private final class BodyInputStream: InputStream {
    private let reader: BlockingBodyReader

    init(_ reader: BlockingBodyReader) {
        self.reader = reader
        super.init(data: Data())
    }

    override func open() {}
    override func close() {}
    override var hasBytesAvailable: Bool { !reader.isOver }

    override var streamStatus: Stream.Status { reader.status }
    override var streamError: (any Error)? { reader.failure }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength count: Int) -> Int {
        reader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: count))
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length count: UnsafeMutablePointer<Int>
    ) -> Bool { false }
}
#endif
