extension Feed {
    /// An event in the life of a feed.
    ///
    /// ```
    /// (connecting (open (element | comment | gap)*)? (gap | waiting)?)* finished
    /// ```
    ///
    /// A failure may end the sequence at any point but behind a gap that follows the end of a connection: that gap means
    /// that the next connection starts over. Each connection begins with ``connecting(attempt:)``.
    public enum Event: Sendable {
        /// A connection is about to be made.
        ///
        /// - Parameter attempt: The number of the attempt since the last healthy connection, from 1.
        case connecting(attempt: Int)
        /// The server has accepted the request; the response without its body.
        case open(HTTPResponse<Void>)
        /// An element of the feed.
        case element(Element)
        /// A comment of a server-sent event stream, if ``FeedOptions/deliversComments`` is set.
        case comment(String)
        /// Elements are missing, or may be missing, at this point.
        case gap(FeedGap)
        /// The feed connects again after a delay.
        case waiting(FeedWait)
    }
}

/// The wait of a feed before its next connection.
public struct FeedWait: Sendable {
    /// The delay.
    public let delay: Duration
    /// The error that ended the connection; `nil` if the server ended it in order.
    public let error: HTTPError?
    /// The position after the last element, such as the last event ID; `nil` without one. One that cannot be sent is
    /// reported as a ``FeedGap/notResumable`` when the feed has connected again.
    public let position: String?
}

extension FeedWait: CustomStringConvertible {
    /// The reason for the wait and the delay, in one line without secrets.
    public var description: String {
        let reason = error?.description ?? "the response has ended"
        return "\(reason); the next request follows in \(delay.inMilliseconds)"
    }
}

/// A point of a feed at which elements are missing, or may be missing.
///
/// Later versions may add kinds, so compare ``name`` or the static members.
public struct FeedGap: Error, Sendable {
    private enum Kind: String {
        case notResumable = "feed.not-resumable"
        case cursorExpired = "feed.cursor-expired"
        case missingElements = "feed.missing-elements"
        case undecodable = "feed.undecodable"
    }

    private let kind: Kind
    /// The error of the decoder, for ``undecodable(_:)``.
    public let underlying: (any Error)?

    private init(_ kind: Kind, underlying: (any Error)? = nil) {
        self.kind = kind
        self.underlying = underlying
    }

    /// The feed has connected without a position to resume from: none of its elements told one, or the last one cannot
    /// be sent, because it has control characters or more than 8,000 bytes. Also, the server has refused the position
    /// (status 414 or 431), and the feed starts over. Elements that the server sent in the meantime are lost.
    public static let notResumable = FeedGap(.notResumable)
    /// The server no longer knows the position to resume from (status 410). The feed starts over.
    public static let cursorExpired = FeedGap(.cursorExpired)
    /// The next element does not follow the last one, by ``FeedOptions/areSuccessive``.
    public static let missingElements = FeedGap(.missingElements)
    /// An element could not be decoded, and was skipped because of ``FeedOptions/UndecodableElements/skip``.
    public static func undecodable(_ error: any Error) -> FeedGap { FeedGap(.undecodable, underlying: error) }

    /// The stable name for logs and metrics, such as `feed.not-resumable`.
    public var name: String { kind.rawValue }
}

extension FeedGap: Equatable {
    /// Returns whether two gaps are of the same kind.
    public static func == (left: FeedGap, right: FeedGap) -> Bool { left.kind == right.kind }
}

extension FeedGap: CustomStringConvertible {
    public var description: String {
        switch kind {
        case .notResumable: "elements may have been missed, because the feed has no position to resume from"
        case .cursorExpired: "the server no longer knows the position to resume from"
        case .missingElements: "elements are missing between the last identifier and the next one"
        case .undecodable:
            "an element was skipped, because it could not be decoded" + (underlying.map { ": \($0)".printable } ?? "")
        }
    }
}
