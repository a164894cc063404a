import Dispatch
import Foundation
import Streams
import StreamsHTTP

/// A request's body for somebody who reads by blocking, as a session does.
// Safe because what changes is behind the lock, and one thread at a time reads.
final class BlockingBodyReader: @unchecked Sendable {
    fileprivate struct State {
        var source: (any BodySource)?
        var failure: (any Error)?
        var count: Int64 = 0
        var isUntouched = true
        var isWaiting = false
        var isOver = false
    }

    private let state = Locked(State())
    private let readable = DispatchSemaphore(value: 0)

    /// Why it could not be read.
    var failure: (any Error)? { state.withLock { $0.failure } }
    /// Whether nothing has been read yet.
    var isUntouched: Bool { state.withLock { $0.isUntouched } }
    /// Whether the source has nothing at the moment.
    var isWaiting: Bool { state.withLock { $0.isWaiting } }
    /// Whether there may be more.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Opens a body for one sending.
    ///
    /// - Returns: Whether there is one.
    func open(_ body: HTTPBody) throws -> Bool {
        let opened = try body.open { [readable] in readable.signal() }
        let old = state.withLock { state in
            defer { state = State(source: opened) }
            return state.source
        }
        old?.cancel()
        return opened != nil
    }

    /// Copies the next bytes, when there are any.
    ///
    /// - Returns: How many; 0 at the end, -1 for a failure.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            guard let source = state.withLock({ $0.begin() }) else { return 0 }
            let read = source.read(into: buffer)
            switch read {
            case .bytes(let count):
                state.withLock { $0.count += Int64(count) }
                return count
            case .waiting:
                state.withLock { $0.isWaiting = true }
                readable.wait()
            case .end:
                let count = state.withLock { state in
                    state.isOver = true
                    return state.count
                }
                guard let declared = source.length, declared != count else { return 0 }
                return fail(BodyEndedEarly(declared: declared, actual: count))
            case .failed(let error):
                return fail(error)
            }
        }
    }

    private func fail(_ error: any Error) -> Int {
        state.withLock { state in
            state.failure = error
            state.isOver = true
        }
        return -1
    }

    /// Ends the source, and whoever waits for it.
    func cancel() {
        let source = state.withLock { state in
            state.isOver = true
            defer { state.source = nil }
            return state.source
        }
        source?.cancel()
        readable.signal()
    }
}

extension BlockingBodyReader.State {
    fileprivate mutating func begin() -> (any BodySource)? {
        isUntouched = false
        isWaiting = false
        return isOver ? nil : source
    }
}

/// A body ended before its declared length.
struct BodyEndedEarly: Error, CustomStringConvertible {
    let declared: Int64
    let actual: Int64

    var description: String { "the body was declared as \(declared) bytes long and ended after \(actual)" }
}

extension BlockingBodyReader {
    #if canImport(Darwin)
    /// A stream that a session can read: fed from a thread of its own, for the system's sessions take no other.
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
    /// A stream that a session can read.
    func makeStream() -> InputStream {
        BodyInputStream(self)
    }
    #endif
}

#if canImport(Darwin)
/// Copies a body into a stream.
// Safe because its thread alone uses it.
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
/// A body as a stream whose reads wait.
private final class BodyInputStream: InputStream {
    private let reader: BlockingBodyReader

    init(_ reader: BlockingBodyReader) {
        self.reader = reader
        super.init(data: Data())
    }

    override func open() {}
    override func close() {}
    override var hasBytesAvailable: Bool { !reader.isOver }

    override var streamStatus: Stream.Status {
        if reader.failure != nil { .error } else if reader.isOver { .atEnd } else { .open }
    }

    override var streamError: (any Error)? { reader.failure }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength count: Int) -> Int {
        reader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: count))
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length count: UnsafeMutablePointer<Int>
    ) -> Bool { false }
}
#endif
