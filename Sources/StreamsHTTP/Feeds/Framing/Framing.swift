/// A value that splits a stream of bytes into elements, one at a time.
///
/// The elements do not depend on how the stream is split into chunks. A framing buffers at most one unfinished element
/// besides the bytes of the last chunk.
protocol Framing<Element>: Sendable {
    associatedtype Element: Sendable

    /// Appends bytes of the stream.
    mutating func append(_ bytes: Data)

    /// Returns the next complete element; `nil` if more bytes are needed.
    ///
    /// - Throws: The error of the next element. After ``FramingError/elementTooLarge(limit:)`` there are no more elements;
    ///   after another error, further calls return the elements behind the invalid one.
    mutating func next() throws(FramingError) -> Element?

    /// Ends the stream. Further calls of ``next()`` return the elements left and those that the end completes: a last
    /// line without a line break, but not an unfinished server-sent event.
    mutating func finish()
}

/// The largest size of an element unless another one is set.
let defaultMaxElementSize = 1 << 20

/// An error in the framing of a stream of elements.
public enum FramingError: Error, Hashable, Sendable {
    /// An element is larger than the limit in bytes. The rest of the stream is not read.
    case elementTooLarge(limit: Int)

    /// A JSON text of a sequence lacks its end (RFC 7464, section 2.4).
    case truncatedElement

    /// There are bytes that belong to no element.
    case unexpectedBytes
}

extension FramingError: CustomStringConvertible {
    /// A description of the error.
    public var description: String {
        switch self {
        case .elementTooLarge(let limit): "an element of the stream is larger than \(limit) bytes"
        case .truncatedElement: "an element of the stream is truncated"
        case .unexpectedBytes: "the stream has bytes between its elements"
        }
    }
}
