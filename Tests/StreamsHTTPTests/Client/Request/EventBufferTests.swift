import Testing

@testable import StreamsHTTP

/// The events that wait for demand, and their order.
@Suite struct EventBufferTests {
    private let head: HTTPResponse<Void>

    init() throws {
        head = HTTPResponse(status: .ok, body: (), url: try #require(URL(string: "http://h/")))
    }

    private func next(_ buffer: inout EventBuffer) -> RequestEvent<Data>? {
        if case .event(let event) = buffer.next() { event } else { nil }
    }

    @Test(arguments: [EventFilter.all, .content, .progress, .response])
    func progressIsToldInTheOrderOfItsMaking(filter: EventFilter) {
        var buffer = EventBuffer(filter)
        buffer.request(.unlimited)
        buffer.set(upload: TransferProgress(completed: 1, total: 2))
        buffer.append(step: .head(head))
        buffer.set(download: TransferProgress(completed: 1, total: 2))
        var names: [String] = []
        while let event = next(&buffer) { names.append(event.name) }
        let expected: [String] =
            switch filter {
            case .all: ["upload", "head", "download"]
            case .content: ["head"]
            case .progress: ["upload", "download"]
            case .response: []
            }
        #expect(names == expected)
    }

    @Test func progressOfAnotherAttemptWaitsForTheRestOfTheLast() {
        let error = HTTPError(.transfer(.receiveFailed), request: HTTPError.RequestSummary(method: .get, url: ""))
        var buffer = EventBuffer(.all)
        for text in ["c1", "c2"] { buffer.append(chunk: Data(text.utf8)) }
        buffer.request(.max(1))
        #expect(next(&buffer)?.name == "chunk")
        buffer.append(step: .retrying(HTTPRequest.Retry(delay: .zero, error: error)))
        buffer.append(step: .attempt(HTTPRequest.Attempt(number: 2, method: .get, url: head.url)))
        buffer.append(step: .head(head))
        for text in ["c3", "c4"] { buffer.append(chunk: Data(text.utf8)) }
        buffer.set(download: TransferProgress(completed: 3, total: 4))
        buffer.request(.unlimited)
        var names: [String] = []
        while let event = next(&buffer) { names.append(event.name) }
        // Between two chunks progress gets its turn.
        #expect(names == ["chunk", "retrying", "attempt", "head", "chunk", "download", "chunk"])
    }

    /// A slow subscriber may leave as many chunks as the window has bytes.
    @Test func deliversManyChunksInOrder() {
        var buffer = EventBuffer(.all)
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
        for byte in bytes { buffer.append(chunk: Data([byte])) }
        buffer.request(.unlimited)
        var delivered = Data()
        while let event = next(&buffer) { if case .chunk(let chunk) = event { delivered += chunk } }
        let isExact = delivered == Data(bytes)
        #expect(isExact)
    }

    /// Whatever has gone to a subscriber is the subscriber's: its room has been allowed again.
    @Test func whatHasBeenDeliveredIsNotKept() {
        let freed = Watched(0)
        var buffer = EventBuffer(.all)
        for _ in 1...3 {
            let memory = UnsafeMutableRawPointer.allocate(byteCount: 100, alignment: 1)
            buffer.append(
                chunk: Data(
                    bytesNoCopy: memory, count: 100,
                    deallocator: .custom { memory, _ in
                        memory.deallocate()
                        freed.update { $0 += 1 }
                    }))
        }
        buffer.request(.max(2))
        #expect(next(&buffer) != nil && freed.value == 1)
        #expect(next(&buffer) != nil && freed.value == 2)
        #expect(next(&buffer) == nil)
    }
}
