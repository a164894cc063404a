import StreamsTesting
import Testing

@testable import StreamsHTTP

/// The order of a request's start and end for monitors, when a thread cancels while another requests.
@Suite struct MonitorNotifierTests {
    private final class Steps: EventMonitor {
        let steps = Watched<[String]>([])

        func requestStarted(_ request: MonitoredRequest) {
            steps.update { $0.append("start") }
        }

        func requestEnded(
            _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>,
            metrics: HTTPRequest.Metrics
        ) {
            steps.update { $0.append("end") }
        }
    }

    private let monitor = Steps()

    private func notifier(isDeferred: Bool = false) -> MonitorNotifier {
        MonitorNotifier(
            [monitor], id: 1, summary: HTTPError.RequestSummary(method: .get, url: "http://h/"), redaction: .usual,
            isDeferred: isDeferred)
    }

    /// The thread that cancels comes first, although there has been demand.
    @Test(arguments: [false, true]) func notifiesOfTheStartBeforeAnEarlierEnd(isDeferred: Bool) {
        let notifier = notifier(isDeferred: isDeferred)
        notifier.end(.finished)
        #expect(monitor.steps.value == [])
        notifier.begin()
        notifier.end(.finished)
        #expect(monitor.steps.value == ["start", "end"])
    }

    @Test func notifiesOfNothingWithoutDemand() {
        let transport = AnsweringTransport { _, _ in .silence }
        let client = transport.client { $0.monitors = [monitor] }
        let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, "/")), demand: .none)
        recorder.cancel()
        #expect(monitor.steps.value == [])
    }

    @Test func notifiesOfBothWheneverAnotherThreadCancels() async throws {
        let transport = AnsweringTransport { _, _ in .silence }
        let client = transport.client { $0.monitors = [monitor] }
        for _ in 0..<2000 {
            let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, "/")), demand: .none)
            await withTaskGroup { group in
                group.addTask { recorder.request(.max(1)) }
                group.addTask { recorder.cancel() }
            }
            guard !monitor.steps.value.isEmpty else { continue }
            // The thread that delivers an event meanwhile reports the end after it.
            let steps = try await monitor.steps.wait(for: "the end") { $0.contains("end") }
            #expect(steps == ["start", "end"])
            monitor.steps.update { $0 = [] }
        }
    }
}
