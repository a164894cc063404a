import Foundation
import StreamsHTTP
import StreamsLoopback
import Testing

/// The samples of the article "Observing a client".
@Suite(.reservesDescriptors) struct ObservingSamples {
    private struct GetExport: Endpoint {
        typealias Response = String

        let path = "/export"
    }

    struct Reporter: EventMonitor {
        let report: @Sendable (String) -> Void

        func request(
            _ request: MonitoredRequest, exchange: HTTPRequest.Metrics.Exchange, reached stage: MonitoredRequest.Stage
        ) {
            if case .connected(isReused: false, let address) = stage {
                report("\(request.url) connects to \(address ?? "?")")
            }
        }

        func requestEnded(
            _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>,
            metrics: HTTPRequest.Metrics
        ) {
            report("\(request.url) took \(metrics.total), \(metrics.waits.total) of it for permits")
        }
    }

    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    @Test func printsASnapshotOnASignal() {
        let client = server.client()
        let printing = Operators.Signals(SIGUSR1).sink { _ in print(client.snapshot) }
        printing.cancel()
    }

    @Test func namesARequest() async throws {
        let gate = Gate()
        server.on("GET", "/export", .text("all").held(by: gate))
        let client = server.client()
        let nightly = client.publisher(for: GetExport()).checkpoint("nightly")
        async let value = nightly.first().value
        try await server.waitForRequests(1)
        #expect(client.snapshot.requests.first?.callSite?.label == "nightly")
        gate.open()
        #expect(try await value == "all")
    }

    @Test func reportsConnectionsAndDurations() async throws {
        server.on("GET", "/", .text("a"))
        let reports = Watched<[String]>([])
        let client = server.client().configuring {
            $0.monitors = [Reporter { report in reports.update { $0.append(report) } }]
        }
        for _ in 0..<2 { _ = try await client.response(for: HTTPRequest(.get, "/")) }
        let lines = try await reports.wait(for: "the reports") { $0.count == 3 }
        #expect(lines[0].hasSuffix(" connects to 127.0.0.1:\(server.port)"))
        #expect(lines[1...].allSatisfy { $0.contains(" took ") && $0.hasSuffix("0.0 seconds of it for permits") })
    }

    @Test func samplesAreThoseOfTheArticle() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/Observing.md")
        #expect(article.samples.count == 3)
        try article.expectAll()
    }
}
