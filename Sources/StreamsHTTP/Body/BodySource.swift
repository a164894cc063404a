/// Where a transport takes the bytes of one sending from.
public protocol BodySource: AnyObject, Sendable {
    /// The number of bytes to come where it is known before the first is read.
    var length: Int64? { get }

    /// Copies the next bytes into a buffer. Called by the transport alone, one call at a time; never blocks on
    /// anything but a local file.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyRead

    /// Stops the source. Legal at any time, from any thread.
    func cancel()
}

/// What reading a body came to.
public enum BodyRead: Sendable {
    /// So many bytes were copied, at least one.
    case bytes(Int)
    /// There is nothing yet; the source calls back when there is.
    case waiting
    /// Every byte has been read.
    case end
    /// The source is broken; nothing is read of it after this.
    case failed(any Error)
}

extension HTTPBody {
    /// Opens the body for one sending.
    ///
    /// - Parameter onReadable: Called from any thread when a source that had nothing has something again.
    /// - Returns: `nil` for an empty body.
    /// - Throws: What stands in the way: a missing file, or a one-shot body that was sent before.
    public func open(onReadable: @escaping @Sendable () -> Void) throws -> (any BodySource)? {
        switch self {
        case .replayable(let body): try body.content.open(onReadable: onReadable)
        case .oneShot(let body): try body.take().open(onReadable: onReadable)
        }
    }
}

/// A body's length turned out other than declared.
public struct BodyLengthMismatch: Error, CustomStringConvertible {
    /// The bytes that were announced.
    public let declared: Int64
    /// The bytes that there were.
    public let actual: Int64

    package init(declared: Int64, actual: Int64) {
        self.declared = declared
        self.actual = actual
    }

    public var description: String { "the body was declared as \(declared) bytes long and ended after \(actual)" }
}

/// A body that can be sent once was asked for a second time.
public struct BodyAlreadySent: Error, CustomStringConvertible {
    public var description: String { "a one-shot body cannot be sent again" }
}
