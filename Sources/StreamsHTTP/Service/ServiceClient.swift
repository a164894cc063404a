/// Makes requests to a service, with failures that hold what the service says of them.
///
/// ```swift
/// let movies = ServiceClient(Movies())
/// do {
///     print(try await movies.value(for: PopularMovies()))
/// } catch {
///     switch error {
///     case .local(let error): print(error)
///     case .remote(let response): print(response.body.message)
///     }
/// }
/// ```
///
/// It is an ``HTTPClient`` otherwise: cold streams and `async` calls, the same events, demand and threads. Copies share
/// what they are made of, and can be dropped at any time.
public struct ServiceClient<Service: HTTPService>: Sendable {
    /// How requests to the service fail.
    public typealias Failure = ServiceError<Service.ErrorContent>

    /// What the client was made for.
    public let service: Service
    /// What makes the requests.
    public let client: HTTPClient

    /// Makes a client for a service.
    public init(_ service: Service) {
        self.init(service, client: HTTPClient(service))
    }

    /// Makes a client for a service on top of another, with that one's configuration, transport and time: for tests,
    /// and for services that are reached in other ways.
    public init(_ service: Service, client: HTTPClient) {
        self.service = service
        self.client = client
    }

    /// This client with previews in place of responses; see ``HTTPClient/previewing(_:store:)``.
    ///
    /// - Parameters:
    ///   - mode: Where responses come from.
    ///   - store: Has the responses of ``PreviewMode/success``.
    public func previewing(
        _ mode: PreviewMode = .automatic, store: any PreviewStore = EmptyPreviewStore()
    ) -> ServiceClient {
        ServiceClient(service, client: client.previewing(mode, store: store))
    }

    /// Cancels every request of this client and of its copies that is under way; see ``HTTPClient/cancelAll()``.
    public func cancelAll() {
        client.cancelAll()
    }

    /// Ends the use of this client and of its copies; see ``HTTPClient/shutdown(deadline:)``.
    ///
    /// - Parameter deadline: How long the requests under way may take; `nil` is as long as they take.
    public func shutdown(deadline: Duration? = nil) async {
        await client.shutdown(deadline: deadline)
    }

    private func failure(_ error: HTTPError) -> Failure {
        Failure(error, of: service, using: client.configuration.coders)
    }
}

// MARK: Awaited

extension ServiceClient {
    /// The decoded value of a call.
    ///
    /// - Throws: ``ServiceError``; when the task is cancelled, one that is a cancellation.
    public func value<Call: Endpoint>(for endpoint: Call) async throws(Failure) -> Call.Response {
        do {
            return try await client.value(for: endpoint)
        } catch {
            throw failure(error)
        }
    }

    /// The decoded value of a call, with its progress on the way.
    ///
    /// - Parameters:
    ///   - endpoint: What to ask for.
    ///   - onProgress: Called with the progress of the upload and then of the download, serially, on a thread of
    ///     the system's. No call begins after this has returned; when the task is cancelled, one may be under way.
    /// - Throws: ``ServiceError``; when the task is cancelled, one that is a cancellation.
    public func value<Call: Endpoint>(
        for endpoint: Call, onProgress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(Failure) -> Call.Response {
        do {
            return try await client.value(for: endpoint, onProgress: onProgress)
        } catch {
            throw failure(error)
        }
    }

    /// The response to a call, decoded.
    ///
    /// - Throws: ``ServiceError``; when the task is cancelled, one that is a cancellation.
    public func response<Call: Endpoint>(for endpoint: Call) async throws(Failure) -> HTTPResponse<Call.Response> {
        do {
            return try await client.response(for: endpoint)
        } catch {
            throw failure(error)
        }
    }

    /// The response to a request, with its body as it came, collected up to ``RequestOptions/maxBodySize``.
    ///
    /// - Throws: ``ServiceError``; when the task is cancelled, one that is a cancellation.
    public func data(for request: HTTPRequest) async throws(Failure) -> HTTPResponse<Data> {
        do {
            return try await client.data(for: request)
        } catch {
            throw failure(error)
        }
    }
}

// MARK: As streams

extension ServiceClient {
    /// A call's decoded value alone.
    ///
    /// **Demand** Nothing is sent before something is asked for; one value answers it.
    /// **Completion** After the value, or with a ``ServiceError``.
    /// **Cancellation** Ends the exchange.
    /// **Threads** The value is delivered on a thread of the system's.
    public func publisher<Call: Endpoint>(for endpoint: Call) -> some Publisher<Call.Response, Failure> {
        client.publisher(for: endpoint).mapError { failure($0) }
    }

    /// A call as a stream of events, with its body collected up to a limit and decoded.
    public func events<Call: Endpoint>(
        for endpoint: Call
    ) -> some Publisher<RequestEvent<Call.Response>, Failure> {
        client.events(for: endpoint).mapError { failure($0) }
    }

    /// A request as a stream of events, with its body delivered in chunks and never collected.
    public func events(for request: HTTPRequest) -> some Publisher<RequestEvent<Void>, Failure> {
        client.events(for: request).mapError { failure($0) }
    }
}
