/// A part of a client's pipeline that looks at its requests, changes them, or decides what becomes of their failures.
///
/// ```swift
/// struct Tracing: Interceptor {
///     func adapt(_ request: TransportRequest, _ context: RequestContext) -> TransportRequest {
///         var request = request
///         request.headers.set("X-Request-Id", "\(context.id).\(context.attempt)")
///         return request
///     }
/// }
/// var configuration = HTTPClient.Configuration(baseURL: url)
/// configuration.interceptors = [Tracing()]
/// ```
///
/// Every requirement has a default that leaves things as they are. A client's interceptors are one ordered list, the
/// first of them the outermost:
///
/// - Before each attempt every one of them adapts the request, in the order of the list, and last the client's
///   ``HTTPClient/Configuration/authorization``. A redirect that is followed is not adapted anew.
/// - After a failed attempt they are asked in the order of the list whether there should be another, until one
///   decides; then the authorization, and then the ``RetryPolicy``.
/// - Where there is no other attempt they are asked in the order of the list for a response instead of the error, until
///   one has it. So it is with errors that another attempt could follow; they are asked neither for an attempt nor for
///   a response where a redirect cannot be followed, the body is too large (``HTTPError/Reason/bodyTooLarge(limit:)``),
///   the time is up (``Timeouts/total``), or one of them has answered with ``RetryDecision/fail(_:)``.
/// - What happens is told to all of them, in the order of the list.
///
/// Adapting, retrying and recovering may take their time: the deadline ``Timeouts/total`` goes on meanwhile, and when
/// the request is cancelled or its time is up, so is the task that runs them. What they answer then goes nowhere. A
/// client without interceptors does not pay for them.
public protocol Interceptor: Sendable {
    /// Changes a request on its way to the transport. Called before each attempt, with the request as it was made.
    ///
    /// - Returns: What to send. It is checked like any request; an interceptor that adds a secret marks its field as
    ///   sensitive, so that it does not follow a redirect to another origin.
    /// - Throws: Anything. It fails the attempt with ``HTTPError/Reason/interceptor(_:)``; an ``HTTPError`` with its
    ///   own reason.
    func adapt(_ request: TransportRequest, _ context: RequestContext) async throws -> TransportRequest

    /// Whether a response is one to go on with; not asked about redirects that are followed. One that is not is an
    /// error, like one that does not pass ``ResponseValidation``. Runs on the transport's thread, and should decide at
    /// once.
    func isAcceptable(_ head: HTTPResponse<Void>, _ context: RequestContext) -> Bool

    /// Decides whether a failed attempt is followed by another.
    ///
    /// An attempt that cannot be repeated (``RequestContext/isRepeatable``) is not, whatever is answered.
    func retry(after error: HTTPError, _ context: RequestContext) async -> RetryDecision

    /// A response to go on with instead of an error; `nil` where there is none. Not asked once a chunk of a response
    /// has been delivered.
    ///
    /// - Throws: What the request fails with instead, as ``adapt(_:_:)`` does.
    func recover(from error: HTTPError, _ context: RequestContext) async throws -> HTTPResponse<Data>?

    /// Takes note of what happens to a request. Called serially for each request, in the order in which it happens, on
    /// any thread; it should return at once.
    func observe(_ event: ObservedEvent, _ context: RequestContext)
}

extension Interceptor {
    public func adapt(_ request: TransportRequest, _ context: RequestContext) async throws -> TransportRequest {
        request
    }

    public func isAcceptable(_ head: HTTPResponse<Void>, _ context: RequestContext) -> Bool { true }

    public func retry(after error: HTTPError, _ context: RequestContext) async -> RetryDecision { .proceed }

    public func recover(from error: HTTPError, _ context: RequestContext) async throws -> HTTPResponse<Data>? { nil }

    public func observe(_ event: ObservedEvent, _ context: RequestContext) {}
}

/// What an interceptor makes of a failed attempt.
public enum RetryDecision: Sendable {
    /// It is for the next one to decide.
    case proceed
    /// There is another attempt, after a while; at once where that is nothing.
    case retry(after: Duration)
    /// The request fails, with this error.
    case fail(HTTPError)
}
