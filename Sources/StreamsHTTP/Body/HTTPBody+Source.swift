extension HTTPBody {
    /// A source of the bytes of a request's body, for one exchange.
    public protocol Source: AnyObject, Sendable {
        /// The number of bytes; `nil` if it is unknown before the first is read.
        var length: Int64? { get }

        /// Copies the next bytes into a buffer. Only the transport calls this, one call at a time. Never blocks, except
        /// for a local file.
        func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult

        /// Stops the source. May be called at any time, from any thread.
        func cancel()
    }

    /// The result of a read from a ``Source``.
    public enum ReadResult: Sendable {
        /// The number of bytes that were copied, at least one.
        case bytes(Int)
        /// No bytes are available yet. The source calls back when there are.
        case waiting
        /// All bytes have been read.
        case end
        /// The source failed. It is not read again.
        case failed(any Error)
    }
}
