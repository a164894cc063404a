// swift-service-lifecycle: a service that lets a client's requests complete when the program shuts down gracefully.
// Services that use the client come after it in the ServiceGroup: a group stops its services in reverse order.

import ServiceLifecycle
import StreamsHTTP

/// A service that shuts down a client.
public struct HTTPClientService: Service {
    private let client: HTTPClient
    private let deadline: Duration?

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - deadline: The time that requests have to complete before they are cancelled; `nil` for no limit.
    public init(_ client: HTTPClient, deadline: Duration? = .seconds(30)) {
        self.client = client
        self.deadline = deadline
    }

    /// Waits for the graceful shutdown, and then for the client's requests. A cancellation cancels the requests.
    public func run() async throws {
        do {
            try await gracefulShutdown()
        } catch {
            client.cancelAll()
        }
        await client.shutdown(deadline: deadline)
    }
}
