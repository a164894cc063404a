import Testing

@testable import StreamsHTTP

/// What waits for a subscriber, and in which order it comes.
@Suite struct EventOutboxTests {
    private let head: HTTPResponse<Void>

    init() throws {
        head = HTTPResponse(status: .ok, body: (), url: try #require(URL(string: "http://h/")))
    }

    private func next(_ outbox: inout EventOutbox) -> RequestEvent<Data>? {
        if case .event(let event) = outbox.next() { event } else { nil }
    }

    @Test(arguments: [EventInterest.everything, .progress, .answer])
    func progressIsToldInTheOrderOfItsMaking(interest: EventInterest) {
        var outbox = EventOutbox(interest)
        outbox.request(.unlimited)
        outbox.set(upload: TransferProgress(completed: 1, total: 2))
        outbox.append(step: .head(head))
        outbox.set(download: TransferProgress(completed: 1, total: 2))
        var names: [String] = []
        while let event = next(&outbox) { names.append(event.name) }
        let expected: [String] =
            switch interest {
            case .everything: ["upload", "head", "download"]
            case .progress: ["upload", "download"]
            case .answer: []
            }
        #expect(names == expected)
    }

    @Test func progressOfAnotherAttemptWaitsForTheRestOfTheLast() {
        let error = HTTPError(.transfer(.receiveFailed), request: HTTPError.RequestSummary(method: .get, url: ""))
        var outbox = EventOutbox(.everything)
        for text in ["c1", "c2"] { outbox.append(chunk: Data(text.utf8)) }
        outbox.request(.max(1))
        #expect(next(&outbox)?.name == "chunk")
        outbox.append(step: .retrying(RequestRetry(delay: .zero, error: error)))
        outbox.append(step: .attempt(RequestAttempt(number: 2, method: .get, url: head.url)))
        outbox.append(step: .head(head))
        for text in ["c3", "c4"] { outbox.append(chunk: Data(text.utf8)) }
        outbox.set(download: TransferProgress(completed: 3, total: 4))
        outbox.request(.unlimited)
        var names: [String] = []
        while let event = next(&outbox) { names.append(event.name) }
        // Between two chunks progress gets its turn.
        #expect(names == ["chunk", "retrying", "attempt", "head", "chunk", "download", "chunk"])
    }

    /// Whatever has gone to a subscriber is the subscriber's: its room has been granted again.
    @Test func whatHasBeenDeliveredIsNotKept() {
        let freed = Watched(0)
        var outbox = EventOutbox(.everything)
        for _ in 1...3 {
            let memory = UnsafeMutableRawPointer.allocate(byteCount: 100, alignment: 1)
            outbox.append(
                chunk: Data(
                    bytesNoCopy: memory, count: 100,
                    deallocator: .custom { memory, _ in
                        memory.deallocate()
                        freed.update { $0 += 1 }
                    }))
        }
        outbox.request(.max(2))
        #expect(next(&outbox) != nil && freed.value == 1)
        #expect(next(&outbox) != nil && freed.value == 2)
        #expect(next(&outbox) == nil)
    }
}
