import CStreams
import Dispatch
import Synchronization

/// A subscription that reads a content, compresses it, and delivers it in chunks to a pipe that requests them.
///
/// It works on the pipe's queue: on the transport's thread, it would delay all other exchanges. If the content has no
/// bytes now and the pipe is empty, the bytes so far are flushed, so that the server gets a slow stream as it comes.
// Safe because the mutable state is only used on the queue, except for the source and its check, which are set
// before all other use. The source can be cancelled from any thread.
final class BodyCompressor: Subscription, @unchecked Sendable {
    /// The result of filling the output.
    private enum Step {
        /// There is a chunk to deliver.
        case chunk
        /// The content has no bytes now.
        case waiting
        /// The output has the end.
        case end
        case failed(any Error)
    }

    private static let inputSize = 64 * 1024
    private static let outputSize = 32 * 1024

    private let deflater: ZlibDeflater
    private let queue = DispatchQueue(label: "streams.body.compression")
    private let isCancelled = Atomic<Bool>(false)
    private var source: (any HTTPBody.Source)?
    private var check = LengthCheck(declared: nil)
    private var pipe: BodyPipe?
    private var demand = Subscribers.Demand.none
    private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: inputSize, alignment: 16)
    /// The part of the input that has not been compressed.
    private var pending = UnsafeRawBufferPointer(start: nil, count: 0)
    private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: outputSize, alignment: 16)
    /// The number of bytes at the start of the output that are filled.
    private var count = 0
    /// The flush that is under way.
    private var flush = ZlibNoFlush
    /// Whether all bytes that have been read are flushed.
    private var isFlushed = true

    private init(_ compression: HTTPBody.Compression) throws(HTTPBody.Failure) {
        deflater = try compression.makeDeflater()
    }

    deinit {
        input.deallocate()
        output.deallocate()
    }

    /// Opens a content for one exchange.
    ///
    /// - Parameter onReadable: Called from any thread when the compressed content has bytes again.
    /// - Returns: A source of the compressed bytes; `nil` if there is no content.
    static func open(
        _ content: BodyContent, _ compression: HTTPBody.Compression, onReadable: @escaping @Sendable () -> Void
    ) throws -> BodyPipe? {
        let compressor = try BodyCompressor(compression)
        guard let source = try content.open(onReadable: { [weak compressor] in compressor?.resume() }) else {
            return nil
        }
        compressor.source = source
        compressor.check = LengthCheck(declared: source.length)
        return BodyPipe(length: nil, onReadable: onReadable, queue: compressor.queue) { pipe in
            compressor.pipe = pipe
            pipe.receive(subscription: compressor)
        }
    }

    /// Requests chunks. Called on the queue.
    func request(_ demand: Subscribers.Demand) {
        self.demand += demand
        drain()
    }

    func cancel() {
        isCancelled.store(true, ordering: .releasing)
        source?.cancel()
    }

    private func resume() {
        queue.async { [self] in drain() }
    }

    /// Delivers chunks as long as they are requested and there are bytes.
    private func drain() {
        while demand > .none, let pipe {
            switch fill() {
            case .chunk:
                deliver(to: pipe)
            case .waiting:
                return
            case .end:
                deliver(to: pipe)
                end(pipe, .finished)
            case .failed(let error):
                end(pipe, .failure(error))
            }
        }
    }

    private func deliver(to pipe: BodyPipe) {
        demand -= 1
        let chunk = Data(output[..<count])
        count = 0
        demand += pipe.receive(chunk)
    }

    private func end(_ pipe: BodyPipe, _ completion: Subscribers.Completion<any Error>) {
        self.pipe = nil
        pipe.receive(completion: completion)
    }

    /// Compresses until the output is full, or a flush or the end has been written.
    private func fill() -> Step {
        while true {
            if pending.isEmpty, flush == ZlibNoFlush, let step = readInput() { return step }
            guard deflater.deflate(&pending, into: output, &count, flush) else {
                return .failed(HTTPBody.Failure.compressionUnavailable)
            }
            guard count < output.count else { return .chunk }
            switch flush {
            case ZlibFinish: return .end
            case ZlibSyncFlush:
                (flush, isFlushed) = (ZlibNoFlush, true)
                return .chunk
            default: continue
            }
        }
    }

    /// Reads the next bytes, or begins a flush if there are none.
    ///
    /// - Returns: The result if there is nothing to compress.
    private func readInput() -> Step? {
        guard let source, !isCancelled.load(ordering: .acquiring) else { return .waiting }
        switch check.checking(source.read(into: input)) {
        case .bytes(let count):
            pending = UnsafeRawBufferPointer(rebasing: input[..<count])
            isFlushed = false
        case .waiting:
            // A pipe that has chunks requests more when it needs them.
            guard !isFlushed, demand == .max(BodyPipe.prefetch) else { return .waiting }
            flush = ZlibSyncFlush
        case .end:
            flush = ZlibFinish
        case .failed(let error):
            return .failed(error)
        }
        return nil
    }
}
