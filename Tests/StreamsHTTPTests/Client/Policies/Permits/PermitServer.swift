import StreamsTesting
import Testing

@testable import StreamsHTTP

/// A transport whose exchanges stay open until the test ends them, with the times at which they began.
final class PermitServer: Sendable {
    struct Visit: Sendable {
        let path: String
        let time: Duration
        let request: TransportRequest
        let receiver: any TransportReceiver
        let exchange: ScriptedExchange
    }

    let visits = Watched<[Visit]>([])
    let scheduler = TestScheduler()
    /// Called with each path, before the start of the exchange returns.
    let onVisit = Watched<(@Sendable (String) -> Void)?>(nil)

    var paths: [String] { visits.value.map(\.path) }

    func client(
        _ options: RequestOptions = RequestOptions(),
        _ change: (inout HTTPClient.Configuration) -> Void
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration(baseURL: URL(literal: "http://h"), options: options)
        change(&configuration)
        let clock = Watched<RequestClock?>(nil)
        let transport = ScriptedTransport { [visits, onVisit] request, receiver in
            let exchange = ScriptedExchange()
            let time = clock.value?.now ?? .zero
            visits.update { visits in
                visits.append(
                    Visit(
                        path: request.url.path(), time: time, request: request, receiver: receiver, exchange: exchange))
            }
            onVisit.value?(request.url.path())
            return exchange
        }
        let client = HTTPClient(configuration: configuration, transport: transport, scheduler: scheduler)
        clock.update { $0 = client.clock }
        return client
    }

    func start(_ target: String, on client: HTTPClient) -> EventRecorder<Void> {
        EventRecorder(of: client.events(for: HTTPRequest(.get, target)))
    }

    func start(_ count: Int, on client: HTTPClient) -> [EventRecorder<Void>] {
        (0..<count).map { start("/\($0)", on: client) }
    }

    /// Waits until a retry has been announced, and its timer is the only one.
    func wait(for recorder: EventRecorder<Void>, toRetry number: Int) async throws {
        try await recorder.wait(for: "retry \(number)") { $0.retries.count == number }
        try #require(await scheduler.wait(forPending: 1))
    }

    func answer(_ index: Int, _ status: HTTPStatus = .ok, _ headers: HTTPHeaders = [:]) {
        let visit = visits.value[index]
        let head = HTTPResponse(status: status, headers: headers, body: (), url: visit.request.url)
        visit.receiver.receive(.head(head))
        visit.receiver.receive(.finished)
    }

    func fail(_ index: Int, _ reason: HTTPError.Reason) {
        visits.value[index].receiver.receive(.failed(TransportFailure(reason)))
    }
}

extension HTTPClient {
    /// The state of the only origin.
    var permitState: Snapshot.Permits? {
        snapshot.origins.first?.permits
    }
}
