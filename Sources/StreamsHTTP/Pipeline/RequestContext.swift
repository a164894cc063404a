import Synchronization

/// What an interceptor knows of a request beside what it is asked.
public struct RequestContext: Sendable {
    /// Tells the requests of a process apart: one subscription to a stream, or one `async` call, with all its attempts.
    public let id: Int
    /// The request as it was handed to the transport last in this attempt, or as it was made where that is yet to come.
    public let request: TransportRequest
    /// The number of the attempt, from 1.
    public let attempt: Int
    /// The places that have redirected in this attempt, in order. The first is the URL that was asked for,
    /// without what interceptors made of it.
    public let redirects: [URL]
    /// The request's settings, with its client's where it leaves them open.
    public let options: RequestOptions
    /// Whether another attempt could be made: the body can be sent again, and nothing of a response's body has been
    /// delivered, or what has come of it can be continued.
    public let isRepeatable: Bool

    private static let lastID = Atomic<Int>(0)

    static func nextID() -> Int {
        lastID.add(1, ordering: .relaxed).newValue
    }
}
