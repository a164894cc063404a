/// A client of a service, whose failures contain the service's decoded error content.
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
/// It has the everyday calls of an ``HTTPClient``. Every other one is made by its ``client``, with the same demand and
/// threads, and ``failure(_:)`` converts the error:
///
/// ```swift
/// let changes = movies.client.serverSentEvents(for: request).mapError(movies.failure)
/// ```
///
/// Copies share their client. You may release them at any time.
public struct ServiceClient<Service: HTTPService>: Sendable {
    /// The error of requests to the service.
    public typealias Failure = ServiceError<Service.ErrorContent>

    /// The service.
    public let service: Service
    /// The client that makes the requests.
    public let client: HTTPClient

    /// Creates a client for a service from another client, with its configuration, transport and scheduler: for tests,
    /// and for services that are reached in other ways.
    public init(_ service: Service, client: HTTPClient) {
        self.service = service
        self.client = client
    }

    /// Creates a client for a service, which schedules its retries and deadlines on a scheduler. With a virtual-time
    /// scheduler, tests wait for nothing.
    ///
    /// - Parameters:
    ///   - service: The service, which configures the client.
    ///   - transport: The transport.
    ///   - scheduler: The scheduler, as for ``HTTPClient/init(configuration:transport:scheduler:)``.
    public init(_ service: Service, transport: any HTTPTransport, scheduler: some Scheduler & Sendable) {
        self.init(
            service,
            client: HTTPClient(configuration: service.configuration, transport: transport, scheduler: scheduler))
    }

    /// Returns another client with previews in place of responses; see ``HTTPClient/previewing(_:store:)``. In an Xcode
    /// preview, a client with a ``HTTPClient/Configuration/previewStore`` needs no such call.
    ///
    /// - Parameters:
    ///   - mode: The source of responses.
    ///   - store: The store of the responses of ``PreviewStore/Mode/success``; by default, that of the configuration.
    public func previewing(_ mode: PreviewStore.Mode = .automatic, store: PreviewStore? = nil) -> ServiceClient {
        ServiceClient(service, client: client.previewing(mode, store: store))
    }

    /// Returns the service's error for one of ``client``: with the decoded error content, if it has a response.
    ///
    /// For the calls that only ``client`` has.
    public func failure(_ error: HTTPError) -> Failure {
        Failure(error, of: service, using: client.configuration.coders)
    }
}

extension ServiceClient: CustomReflectable {
    /// The type of the service, whose properties may be secret, and the client.
    public var customMirror: Mirror { Mirror(self, children: ["service": Service.self, "client": client]) }
}

// MARK: Awaited

extension ServiceClient {
    /// Returns the decoded value of a call.
    ///
    /// - Throws: ``ServiceError``; when the task is cancelled, one that is a cancellation.
    public func value<Call: Endpoint>(for endpoint: Call) async throws(Failure) -> Call.Response {
        do {
            return try await client.value(for: endpoint)
        } catch {
            throw failure(error)
        }
    }

    /// Returns the decoded value of a call, and reports its progress.
    ///
    /// - Parameters:
    ///   - endpoint: The call to make.
    ///   - onProgress: Called with each progress of the upload and then of the download, serially, in the calling task.
    ///     It should return quickly.
    /// - Throws: ``ServiceError``; when the task is cancelled, one that is a cancellation.
    public func value<Call: Endpoint>(
        for endpoint: Call, onProgress: @escaping @Sendable (HTTPRequest.Progress) -> Void
    ) async throws(Failure) -> Call.Response {
        do {
            return try await client.value(for: endpoint, onProgress: onProgress)
        } catch {
            throw failure(error)
        }
    }

    /// Returns the decoded response to a call.
    ///
    /// - Throws: ``ServiceError``; when the task is cancelled, one that is a cancellation.
    public func response<Call: Endpoint>(for endpoint: Call) async throws(Failure) -> HTTPResponse<Call.Response> {
        do {
            return try await client.response(for: endpoint)
        } catch {
            throw failure(error)
        }
    }

    /// Returns the response to a request, with its body undecoded, collected up to ``RequestOptions/maxBodySize``.
    ///
    /// - Throws: ``ServiceError``; when the task is cancelled, one that is a cancellation.
    public func response(for request: HTTPRequest) async throws(Failure) -> HTTPResponse<Data> {
        do {
            return try await client.response(for: request)
        } catch {
            throw failure(error)
        }
    }
}

// MARK: As streams

extension ServiceClient {
    /// Returns a publisher of a call's decoded value alone: the stream of ``value(for:)``.
    ///
    /// Demand, cancellation and threads are those of ``RequestPublisher``; it delivers one value.
    public func publisher<Call: Endpoint>(for endpoint: Call) -> some Publisher<Call.Response, Failure> {
        client.publisher(for: endpoint).mapError { failure($0) }
    }
}
