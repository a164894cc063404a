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

/// A framing of what a closure makes of another framing's elements, without those for which it returns `nil`.
///
/// Behind the framing's publisher, `compactMap` would not do: a completion would wait for demand behind an element that
/// is left out.
struct CompactMapFraming<Base: Framing, Element: Sendable>: Framing {
    var base: Base
    let transform: @Sendable (Base.Element) -> Element?

    mutating func append(_ bytes: Data) {
        base.append(bytes)
    }

    mutating func next() throws(FramingError) -> Element? {
        while let item = try base.next() {
            if let element = transform(item) { return element }
        }
        return nil
    }

    mutating func finish() {
        base.finish()
    }
}

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

/// The bytes of a stream that have not been consumed yet.
///
/// Appending and consuming take constant time for each byte, however the stream is split into chunks.
struct FramingBuffer {
    /// The largest capacity that is kept when the buffer is empty.
    private static let keptCapacity = 64 * 1024

    private var storage: [UInt8] = []
    /// The number of bytes at the front of the storage that have been consumed.
    private var start = 0

    var count: Int { storage.count - start }

    mutating func append(_ bytes: Data) {
        // The bytes that are moved are no more than those that were consumed since the last move.
        if start > 0, start >= count {
            storage.removeFirst(start)
            start = 0
        }
        bytes.withUnsafeBytes { storage.append(contentsOf: $0) }
    }

    /// Removes bytes at the front.
    mutating func consume(_ count: Int) {
        start += count
        guard start >= storage.count else { return }
        storage.removeAll(keepingCapacity: storage.capacity <= Self.keptCapacity)
        start = 0
    }

    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        storage.withUnsafeBufferPointer { body($0.part(start, $0.count)) }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns the bytes from one index to another.
    @inline(__always)
    func part(_ start: Int, _ end: Int) -> Self {
        // Built from the address, as a slice checks its bounds several times.
        guard 0 <= start, start <= end, end <= count, let baseAddress else { return Self(start: nil, count: 0) }
        return Self(start: baseAddress + start, count: end - start)
    }

    /// Returns the index of the first byte of a value between two indices.
    @inline(__always)
    func firstIndex(of byte: UInt8, from start: Int, to end: Int) -> Int? {
        guard start < end, let base = baseAddress,
            let found = memchr(base + start, CInt(byte), end - start)
        else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }

    /// Returns whether the bytes are those of an ASCII text.
    @inline(__always)
    func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount, let base = baseAddress else { return false }
        return memcmp(base, text.utf8Start, count) == 0
    }

    /// The bytes as text. Invalid UTF-8 is replaced by U+FFFD.
    @inline(__always) var text: String { String(decoding: self, as: UTF8.self) }
}

extension UInt8 {
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")

    /// Whether this is white space in JSON.
    var isJSONWhitespace: Bool {
        self == UInt8(ascii: " ") || self == .lineFeed || self == .carriageReturn || self == UInt8(ascii: "\t")
    }
}
