import Testing

@testable import StreamsHTTP

/// When one exchange is over, and whoever comes begins another.
@Suite struct SharedRequestEndTests {
    private final class Participant: SharingParticipant {
        let updates = Watched(0)

        func receive(_ update: EventBuffer.Delivery) { updates.update { $0 += 1 } }
        func join(_ request: SharedRequest) {}
        func deliverIfNeeded() {}
        func deliver() {}
    }

    private let ends = Watched(0)
    private let request: SharedRequest
    private let response: HTTPResponse<Data>

    init() throws {
        request = SharedRequest { [ends] _ in ends.update { $0 += 1 } }
        let url = try #require(URL(string: "http://h/"))
        response = HTTPResponse(status: .ok, body: Data(), url: url)
    }

    /// The stream of a participant ends with the response, so what it sends next can come before the exchange
    /// completes.
    @Test func nobodyTakesPartOnceThereIsAResponse() {
        let early = Participant()
        #expect(request.add(early))
        _ = request.receive(.head(HTTPResponse(status: .ok, body: (), url: response.url)))
        let late = Participant()
        #expect(request.add(late))
        #expect(ends.value == 0)
        _ = request.receive(.response(response))
        #expect(ends.value > 0)
        #expect(!request.add(Participant()))
        request.receive(completion: .finished)
        #expect(!request.add(Participant()))
        #expect(early.updates.value == 3 && late.updates.value == 3)
    }

    @Test func movesItsParticipantWithoutLosingTheEnd() {
        let adapted = SharedRequest { _, _ in true }
        let participant = Participant()
        #expect(adapted.add(participant))
        // Held back, until it is known who shares the request.
        _ = adapted.receive(.head(HTTPResponse(status: .ok, body: (), url: response.url)))
        #expect(participant.updates.value == 0)
        #expect(adapted.move(to: request) == .moved)
        adapted.receive(completion: .finished)
        #expect(participant.updates.value == 0)
        request.receive(completion: .finished)
        #expect(participant.updates.value == 1)
    }

    @Test func keepsItsParticipantIfTheOtherIsOver() {
        let adapted = SharedRequest { _, _ in true }
        let participant = Participant()
        #expect(adapted.add(participant))
        _ = adapted.receive(.head(HTTPResponse(status: .ok, body: (), url: response.url)))
        request.receive(completion: .finished)
        #expect(adapted.move(to: request) == .refused)
        adapted.receive(completion: .finished)
        #expect(participant.updates.value == 2)
        #expect(adapted.move(to: request) == .abandoned)
    }

    @Test func nobodyTakesPartOnceItHasFailed() {
        let summary = HTTPError.RequestSummary(method: .get, url: response.url.absoluteString)
        #expect(request.add(Participant()))
        request.receive(completion: .failure(HTTPError(.cancelled, request: summary)))
        #expect(ends.value > 0)
        #expect(!request.add(Participant()))
    }

    @Test func nobodyTakesPartOnceTheLastHasLeft() {
        let participant = Participant()
        #expect(request.add(participant))
        request.remove(participant)
        #expect(ends.value == 1)
        #expect(!request.add(Participant()))
    }
}
