import Synchronization

/// The body of a request.
///
/// ```swift
/// let user: HTTPBody = .json(user)
/// let log: HTTPBody = .file("/var/log/syslog")
/// ```
///
/// A body can be sent again after a redirect or for a retry, unless it is a ``stream(length:contentType:_:)`` or a form
/// with such a part: ``isReplayable``.
public struct HTTPBody: Sendable {
    package private(set) var content: BodyContent
    /// The media type, sent as `Content-Type` unless the request sets that header field.
    public let contentType: String?
    /// The permission to send the body once; `nil` for a body that can be sent again.
    private let ticket: OneShotTicket?

    init(_ content: BodyContent, contentType: String?, isReplayable: Bool = true) {
        self.content = content
        self.contentType = contentType
        ticket = isReplayable ? nil : OneShotTicket()
    }

    /// The length in bytes, if known before the body is opened. It is `nil` for a file, which may change until then,
    /// for a value that a client has yet to encode, for a body that is yet to be compressed, and for an empty body. A
    /// stream of unknown length is sent in chunks (RFC 9112, section 7.1).
    public var length: Int64? { content.length }

    /// Whether the body can be sent more than once.
    ///
    /// If not, an attempt that would send it again (a redirect that keeps the body, a retry, a renewed authorization)
    /// is not made, and the failure that called for it becomes the failure of the request. Copies count as the same
    /// body.
    public var isReplayable: Bool { ticket == nil }

    var isEmpty: Bool {
        if case .empty = content { true } else { false }
    }

    /// Whether the body has values that the client encodes.
    var hasValues: Bool { content.hasValues }

    /// Opens the body for one exchange.
    ///
    /// - Parameter onReadable: Called from any thread when a source has bytes again.
    /// - Returns: `nil` for an empty body.
    /// - Throws: ``FileError``, or ``Failure/alreadySent``.
    public func open(onReadable: @escaping @Sendable () -> Void) throws -> (any Source)? {
        try ticket?.take()
        return try content.open(onReadable: onReadable)
    }

    /// Returns this body with the values in it encoded.
    func encoded(by coders: CoderRegistry) throws -> HTTPBody {
        replacingContent(try content.encoded(by: coders))
    }

    /// Returns this body with another content. Whether it can be sent again stays the same.
    func replacingContent(_ content: BodyContent) -> HTTPBody {
        var body = self
        body.content = content
        return body
    }

    /// Returns this body with another source. The body's length and whether it can be sent again stay the same.
    ///
    /// - Parameter wrap: Wraps the source of each exchange. Its second parameter is called when the source has bytes
    ///   again. Not called for an empty body.
    package func wrappingSource(
        _ wrap: @escaping @Sendable (any Source, _ onReadable: @escaping @Sendable () -> Void) -> any Source
    ) -> HTTPBody {
        guard !isEmpty else { return self }
        return replacingContent(
            .stream(length: content.length) { [content] onReadable in
                try content.open(onReadable: onReadable).map { wrap($0, onReadable) }
            })
    }

    /// An error of a body.
    public enum Failure: Error, Hashable, Sendable {
        /// The body's length, in bytes, differs from the declared one.
        case lengthMismatch(declared: Int64, actual: Int64)
        /// The body would have to be sent again, and is not replayable.
        case alreadySent
        /// An endpoint has a body, and also parameters that are sent as a body.
        case besideParameters
        /// The body would be ``HTTPBody/compressed(_:)``, and the request has a `Content-Encoding` of its own, which
        /// says that it is encoded already.
        case alreadyEncoded
        /// The body would be ``HTTPBody/compressed(_:)``, and the system has no zlib, or no memory for it.
        case compressionUnavailable
    }
}

extension HTTPBody.Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .lengthMismatch(let declared, let actual):
            "the body was declared as \(declared) bytes long and ended after \(actual)"
        case .alreadySent: "a one-shot body cannot be sent again"
        case .besideParameters: "the endpoint has a body and parameters to be sent as one"
        case .alreadyEncoded: "a body to be compressed cannot have another Content-Encoding"
        case .compressionUnavailable: "the body cannot be compressed, because zlib or its memory is missing"
        }
    }
}

extension HTTPBody: CustomReflectable {
    /// The media type, the coding and the length, without the contents.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "contentType": contentType as Any, "contentEncoding": contentEncoding as Any, "length": length as Any,
                "isReplayable": isReplayable,
            ])
    }
}

/// A flag that can be set once.
private final class OneShotTicket: Sendable {
    private let isTaken = Atomic<Bool>(false)

    func take() throws(HTTPBody.Failure) {
        guard !isTaken.exchange(true, ordering: .acquiringAndReleasing) else { throw .alreadySent }
    }
}

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

/// The check that the source of a body has as many bytes as it declares.
struct LengthCheck {
    /// The length in bytes; `nil` if it is unknown.
    let declared: Int64?
    /// The number of bytes that have been read.
    private(set) var count: Int64 = 0

    init(declared: Int64?) {
        self.declared = declared
    }

    /// Records the result of a read.
    ///
    /// - Returns: The result; ``HTTPBody/Failure/lengthMismatch(declared:actual:)`` for an end after another number of
    ///   bytes.
    mutating func checking(_ result: HTTPBody.ReadResult) -> HTTPBody.ReadResult {
        switch result {
        case .bytes(let size):
            count += Int64(size)
        case .end:
            guard let declared, declared != count else { break }
            return .failed(HTTPBody.Failure.lengthMismatch(declared: declared, actual: count))
        case .waiting, .failed: break
        }
        return result
    }
}
