/// A decoder of a body's content coding. It decodes in pieces of the requested size, however far the content expands.
protocol ContentDecoder: AnyObject {
    /// Whether the content so far is whole, so that it may end here.
    var isComplete: Bool { get }

    /// Decodes as much as fits.
    ///
    /// - Parameters:
    ///   - input: The encoded bytes, from whose start the decoded ones are removed.
    ///   - output: The memory for the decoded bytes.
    ///   - count: The number of bytes at the start of the output that are filled, also after an error. If they do not
    ///     fill it, no input and no output is left.
    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, _ count: inout Int
    ) throws(TransportFailure)
}

extension TransportFailure {
    /// Creates the failure of a decoder.
    static func undecodable(_ library: String, code: Int, _ message: UnsafePointer<CChar>?) -> TransportFailure {
        let message = message.map { String(cString: $0) } ?? "error \(code)"
        return TransportFailure(
            .transfer(.undecodableContent),
            underlying: HTTPError.Underlying(domain: library, code: code, message: message))
    }
}

/// The decoder of a body with two content codings.
final class ChainedDecoder: ContentDecoder {
    /// The number of bytes in a row between the codings that may decode to nothing. A few bytes can expand to gigabytes
    /// of them, which would keep the thread busy.
    private static let fruitlessLimit = 16 * 1024 * 1024

    /// The decoder of the coding that was applied last.
    private let outer: any ContentDecoder
    private let inner: any ContentDecoder
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 * 1024, alignment: 16)
    /// The part of the buffer that has not been decoded.
    private var pending = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Whether the inner decoder may have more bytes without further input.
    private var innerHasRest = false
    /// The number of bytes between the codings since the last decoded byte.
    private var fruitless = 0

    init(outer: any ContentDecoder, inner: any ContentDecoder) {
        self.outer = outer
        self.inner = inner
    }

    deinit {
        buffer.deallocate()
    }

    var isComplete: Bool { outer.isComplete && inner.isComplete }

    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, _ count: inout Int
    ) throws(TransportFailure) {
        while true {
            // libzstd fails if it is called again and again for nothing.
            if !pending.isEmpty || innerHasRest {
                let before = count
                try inner.decode(&pending, into: output, &count)
                if count > before { fruitless = 0 }
                innerHasRest = count == output.count
                if innerHasRest { return }
            }
            var size = 0
            try outer.decode(&input, into: buffer, &size)
            guard size > 0 else { return }
            pending = UnsafeRawBufferPointer(rebasing: buffer[..<size])
            fruitless += size
            guard fruitless <= Self.fruitlessLimit else { throw TransportFailure(.transfer(.undecodableContent)) }
        }
    }
}
