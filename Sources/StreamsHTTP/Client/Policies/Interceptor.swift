/// A part of a client's pipeline that adapts its requests and responses, or handles their failures. An ``EventMonitor``
/// observes them.
///
/// ```swift
/// struct Tracing: Interceptor {
///     func adapt(_ request: TransportRequest, _ context: HTTPRequest.Context) -> TransportRequest {
///         var request = request
///         request.headers.set("X-Request-Id", "\(context.id).\(context.attempt)")
///         return request
///     }
/// }
/// var configuration = HTTPClient.Configuration(baseURL: url)
/// configuration.interceptors = [Tracing()]
/// ```
///
/// Every requirement has a default that changes nothing. A client's interceptors are one ordered list, the first of
/// them the outermost:
///
/// - Every request to the transport, the first of an attempt and each that a redirect leads to, is adapted by all of
///   them, in the order of the list, and last by the client's ``HTTPClient/Configuration/authorization``.
/// - A response that a request would complete with is adapted by all of them, in the opposite order: the outermost one
///   has the last word. The response of an error is part of that error, and one that only leads to another URL is
///   ``HTTPRequest/Context/redirect`` when the next request is adapted.
/// - After a failed attempt they are called in the order of the list to decide on another, until one decides; then the
///   authorization, and then the ``RetryPolicy``.
/// - If there is no other attempt, they are called in the order of the list for a response in place of the error, until
///   one returns it. Both happen only for errors that another attempt could follow: the interceptors are called neither
///   for an attempt nor for a response if a redirect cannot be followed, the body is too large
///   (``HTTPError/Transfer/bodyTooLarge(limit:)``), the time is up (``RequestOptions/Timeouts/total``), or one of them
///   has returned ``RetryPolicy/Decision/fail(_:)``.
///
/// All of this may suspend. The timeout ``RequestOptions/Timeouts/total`` includes that time.
/// When the request is cancelled or times out, the task that runs them is cancelled and its result is ignored. A client
/// without interceptors has no cost from them.
///
/// Every call has the task-local values of the request, also after a wait: those of the task or thread that subscribed
/// to its stream or made the `async` call. Requests that may share an exchange are each adapted with their own values
/// before they join it. From then on, the calls have the values of the one that started it.
public protocol Interceptor: Sendable {
    /// Adapts a request before it is passed to the transport.
    ///
    /// Called before each attempt, with the original request, and for each redirect that is followed, with the request
    /// that the ``RedirectPolicy`` derives from the one before its adaptation: additions are not carried over. The
    /// ``HTTPRequest/Context/redirects`` lead to the request, and the last may lead to another origin.
    ///
    /// Sensitive fields (``HTTPHeaders/Field/isSensitive``) and a client certificate that interceptors add are sent
    /// only to the origin of the client's base URL and to ``HTTPClient/Configuration/credentialOrigins``; if the client
    /// has neither, only to the origin of the request's own URL. From requests to other origins, and from those that
    /// such an origin redirects, they are removed. An interceptor that changes the origin of a request must lead to one
    /// of these, too: otherwise the request loses all its credentials. Secrets in other fields, in the URL and in the
    /// body are not recognised: mark such a field as sensitive, or check the URL.
    ///
    /// - Returns: The request to send. It is checked like any request.
    /// - Throws: Any error. It fails the attempt with ``HTTPError/Thrower/interceptor``; an ``HTTPError`` with its
    ///   own reason.
    func adapt(_ request: TransportRequest, _ context: HTTPRequest.Context) async throws -> TransportRequest

    /// Adapts the response that a request would complete with, after its validation and before its decoding: to check a
    /// signature, to keep a copy, or to change it.
    ///
    /// The events before the response are those of the original, such as ``RequestEvent/head(_:)``. Chunks that have
    /// been delivered are not in the response's body, and a body that this returns in their place is ignored. A
    /// response from ``recover(from:_:)`` is not adapted.
    ///
    /// - Returns: The response to complete with.
    /// - Throws: Any error. It fails the attempt with ``HTTPError/Thrower/interceptor``; an ``HTTPError`` with its own
    ///   reason. Another attempt may follow, as after any failure.
    func adapt(_ response: HTTPResponse<Data>, _ context: HTTPRequest.Context) async throws -> HTTPResponse<Data>

    /// Decides whether a failed attempt is followed by another.
    ///
    /// An attempt that cannot be repeated (``HTTPRequest/Context/isRepeatable``) is not, whatever this returns.
    func retry(after error: HTTPError, _ context: HTTPRequest.Context) async -> RetryPolicy.Decision

    /// Returns a response that replaces an error; `nil` if there is none. Not called once a chunk of a response has
    /// been delivered.
    ///
    /// - Throws: The error that the request fails with instead, as for an adaptation.
    func recover(from error: HTTPError, _ context: HTTPRequest.Context) async throws -> HTTPResponse<Data>?
}

extension Interceptor {
    public func adapt(_ request: TransportRequest, _ context: HTTPRequest.Context) async throws -> TransportRequest {
        request
    }

    /// Returns the response as it is.
    public func adapt(_ response: HTTPResponse<Data>, _ context: HTTPRequest.Context) async throws -> HTTPResponse<Data>
    {
        response
    }

    public func retry(after error: HTTPError, _ context: HTTPRequest.Context) async -> RetryPolicy.Decision { .proceed }

    public func recover(from error: HTTPError, _ context: HTTPRequest.Context) async throws -> HTTPResponse<Data>? {
        nil
    }
}

extension RetryPolicy {
    /// An interceptor's decision about a failed attempt.
    public enum Decision: Sendable {
        /// The next interceptor decides.
        case proceed
        /// There is another attempt after a delay, or at once if it is zero.
        case retry(after: Duration)
        /// The request fails with this error.
        case fail(HTTPError)
    }
}
