import Synchronization

/// A body that is sent once. Copies are the same body: the first to be sent is the only one.
///
/// An attempt that would send it again (a redirect that keeps the body, a retry, an authorization renewed) is not
/// made, and its failure is the request's.
public struct OneShotBody: Sendable {
    var content: BodyContent
    /// What the body is made of, sent as `Content-Type` unless the request sets that header itself.
    public let contentType: String?
    private let ticket = OneShotTicket()

    init(content: BodyContent, contentType: String?) {
        self.content = content
        self.contentType = contentType
    }

    /// Chunks from a publisher.
    ///
    /// The publisher is subscribed to when the request starts and asked for a chunk when the connection has room
    /// for one, on a queue of its own. Its failure fails the request with ``HTTPError/Reason/body(_:)``.
    ///
    /// - Parameters:
    ///   - length: The sum of the chunks where it is known; a body of another length fails.
    ///   - contentType: The `Content-Type`, unless the request says it itself.
    ///   - chunks: The publisher of the chunks. It is handed over: use it yourself only if it may be used from any
    ///     thread, as subjects may.
    public init(
        length: Int64? = nil, contentType: String? = "application/octet-stream",
        _ chunks: some Publisher<Data, any Error>
    ) {
        self.init(content: .stream(PublishedBody(chunks), length: length), contentType: contentType)
    }

    /// Takes what there is to send.
    ///
    /// - Throws: ``BodyAlreadySent`` but for the first time.
    func take() throws(BodyAlreadySent) -> BodyContent {
        try ticket.take()
        return content
    }
}

/// A right that is used once.
private final class OneShotTicket: Sendable {
    private let isTaken = Atomic<Bool>(false)

    func take() throws(BodyAlreadySent) {
        guard !isTaken.exchange(true, ordering: .acquiringAndReleasing) else { throw BodyAlreadySent() }
    }
}
