import Foundation
import StreamsHTTP
import Testing

/// The pipeline above a transport, where the order of things is the test's.
@Suite struct RequestSubscriptionTests {
    private let url: URL

    init() throws {
        url = try #require(URL(string: "http://h/"))
    }

    private func client(
        _ exchange: ScriptedExchange, options: RequestOptions = RequestOptions(),
        _ script: @escaping @Sendable (any TransportReceiver) -> Void
    ) -> HTTPClient {
        let transport = ScriptedTransport { _, receiver in
            script(receiver)
            return exchange
        }
        return HTTPClient(configuration: HTTPClient.Configuration(options: options), transport: transport)
    }

    private func head(_ status: HTTPStatus = .ok, _ headers: HTTPHeaders = [:]) -> TransportEvent {
        .head(HTTPResponse(status: status, headers: headers, body: (), url: url))
    }

    @Test func whatIsDeliveredBeforeTheHandleIsGrantedBehindIt() async throws {
        let exchange = ScriptedExchange()
        let head = head()
        let starts = Watched(0)
        let reachedSubscriber = Watched(0)
        let transport = ScriptedTransport { _, receiver in
            guard
                starts.update({
                    $0 += 1; return $0
                }) > 1
            else {
                receiver.receive(.failed(TransportFailure(.transfer(.emptyReply))))
                return ScriptedExchange()
            }
            receiver.receive(head)
            receiver.receive(.chunk(Data(UInt8(0)..<100), received: 100))
            // The chunk is delivered before the transport has returned its handle.
            reachedSubscriber.waitSynchronously { $0 == 100 }
            return exchange
        }
        let options = RequestOptions.with {
            $0.retry = RetryPolicy(maxRetries: 1, backoff: Backoff(initial: .zero, maximum: .zero))
        }
        let client = HTTPClient(configuration: HTTPClient.Configuration(options: options), transport: transport)
        let recorder = EventRecorder<Void> { _, event in
            // The delivery is at work when the second exchange starts, and goes on beside it.
            if case .retrying = event { starts.waitSynchronously { $0 == 2 } }
            if case .chunk(let chunk) = event { reachedSubscriber.update { $0 += chunk.count } }
            return .none
        }
        let events = client.events(for: HTTPRequest(.get, url))
        Thread.detachNewThread { events.subscribe(recorder) }
        try await exchange.allowed.wait(for: "the allowed bytes") { $0 == 100 }
        #expect(recorder.recording.value.body == Data(UInt8(0)..<100))
        recorder.cancel()
        recorder.verify()
    }

    @Test func eventsWaitForDemandBehindTheEndOfTheExchange() async throws {
        let exchange = ScriptedExchange()
        let head = head()
        let client = client(exchange) { receiver in
            receiver.receive(head)
            receiver.receive(.chunk(Data(UInt8(0)..<10), received: 10))
            receiver.receive(.finished)
        }
        let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, url)), demand: .max(1))
        for count in 1...5 {
            try await recorder.wait(for: "event \(count)") { $0.eventCount == count }
            recorder.verify()
            recorder.request(.max(1))
        }
        #expect(try await recorder.finished().body == Data(UInt8(0)..<10))
    }

    @Test func whatIsSentBehindTheHeadIsNotTold() async throws {
        let head = head()
        let client = client(ScriptedExchange()) { receiver in
            receiver.receive(.sent(10, of: 100))
            receiver.receive(head)
            receiver.receive(.sent(100, of: 100))
            receiver.receive(.finished)
        }
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.post, url)))
        #expect(recording.uploads.map(\.completed) == [10])
    }

    @Test func eventsOfAnAbandonedExchangeAreNotHeard() async throws {
        let first = Watched<(any TransportReceiver)?>(nil)
        let head = head()
        let elsewhere = self.head(.found, ["Location": "/next", "Content-Length": "1000000"])
        let abandoned = ScriptedExchange()
        let transport = ScriptedTransport { request, receiver in
            guard request.url.path() == "/next" else {
                first.update { $0 = receiver }
                receiver.receive(elsewhere)
                return abandoned
            }
            let stale = first.value
            stale?.receive(.chunk(Data(count: 7), received: 7))
            stale?.receive(.failed(TransportFailure(.transfer(.receiveFailed))))
            receiver.receive(head)
            stale?.receive(.finished)
            receiver.receive(.finished)
            return ScriptedExchange()
        }
        let client = HTTPClient(configuration: HTTPClient.Configuration(), transport: transport)
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, url)))
        #expect(recording.outline == ["attempt 1", "head 200", "response 200"])
        #expect(recording.body.isEmpty)
        #expect(recording.response?.redirects == [url])
        try await abandoned.abortCount.wait(for: "the abort") { $0 > 0 }
    }

    @Test func anEndWithoutAHeadIsAFailure() async throws {
        let client = client(ScriptedExchange()) { receiver in receiver.receive(.finished) }
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, url)))
        #expect(recording.failure?.reason.outline == "transfer.protocol-error")
    }

    @Test func aBodyWithoutAHeadIsAFailure() async throws {
        let exchange = ScriptedExchange()
        let client = client(exchange) { receiver in receiver.receive(.chunk(Data("body".utf8), received: 4)) }
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, url)))
        #expect(recording.failure?.reason.outline == "transfer.protocol-error")
        try await exchange.abortCount.wait(for: "the abort") { $0 == 1 }
    }

    /// A transport of somebody else's may hand over a part of something larger.
    @Test func chunksBeginAtZero() async throws {
        let (head, parts) = (head(), [Data("abcdef".utf8).dropFirst(2), Data("xyz".utf8).dropFirst(1)])
        for count in 1...2 {
            let client = client(ScriptedExchange()) { receiver in
                receiver.receive(head)
                var received: Int64 = 0
                for part in parts.prefix(count) {
                    received += Int64(part.count)
                    receiver.receive(.chunk(part, received: received))
                }
                receiver.receive(.finished)
            }
            let starts = Watched<[Int]>([])
            let recorder = EventRecorder<Void> { _, event in
                if case .chunk(let chunk) = event { starts.update { $0.append(chunk.startIndex) } }
                return .none
            }
            client.events(for: HTTPRequest(.get, url)).subscribe(recorder)
            let whole = Data(parts.prefix(count).joined())
            #expect(try await recorder.finished().body == whole)
            #expect(starts.value == Array(repeating: 0, count: count))
            let body = try await client.response(for: HTTPRequest(.get, url)).body
            #expect(body.startIndex == 0 && body == whole)
        }
    }

    /// An exchange of somebody else's may do anything when it is let go of.
    @Test func anExchangeIsLetGoOfOutsideOfTheLock() async throws {
        final class Exchange: TransportExchange {
            let onRelease: @Sendable () -> Void
            init(onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }
            deinit { onRelease() }
            func allow(bytes: Int) {}
            func abort() {}
        }
        struct Transport: HTTPTransport {
            let receiver = Watched<(any TransportReceiver)?>(nil)
            let onRelease: @Sendable () -> Void
            func start(
                _ request: TransportRequest, delivering receiver: any TransportReceiver
            ) -> any TransportExchange {
                self.receiver.update { $0 = receiver }
                return Exchange(onRelease: onRelease)
            }
        }
        for end in [TransportEvent.finished, .failed(TransportFailure(.transfer(.emptyReply)))] {
            let isReleased = Watched(false)
            let recorder = EventRecorder<Void>()
            let transport = Transport {
                recorder.request(.max(1))
                isReleased.update { $0 = true }
            }
            let client = HTTPClient(configuration: HTTPClient.Configuration(), transport: transport)
            client.events(for: HTTPRequest(.get, url)).subscribe(recorder)
            try await recorder.wait(for: "the attempt") { $0.eventCount == 1 }
            let receiver = try #require(transport.receiver.value)
            receiver.receive(head())
            receiver.receive(end)
            try await recorder.finished()
            try await isReleased.wait(for: "the release") { $0 }
            transport.receiver.update { $0 = nil }
        }
    }

    /// So may the memory of what it brings.
    @Test(arguments: [BodyEnd.anotherChunk, .failure, .cancellation, .repetition])
    func bodiesAreLetGoOfOutsideOfTheLock(end: BodyEnd) async throws {
        let isReleased = Watched(false)
        let recorder = EventRecorder<Data>()
        let receivers = Watched<[any TransportReceiver]>([])
        let transport = ScriptedTransport { _, receiver in
            receivers.update { $0.append(receiver) }
            return ScriptedExchange()
        }
        var options = RequestOptions()
        options.retry = RetryPolicy(maxRetries: 1, backoff: Backoff(initial: .zero))
        let client = HTTPClient(configuration: HTTPClient.Configuration(options: options), transport: transport)
        client.events(for: Call<Data>(.get, url.absoluteString)).subscribe(recorder)
        let receiver = try #require(try await receivers.wait(for: "the exchange") { !$0.isEmpty }.first)
        receiver.receive(head())
        receiver.receive(
            foreignChunk([UInt8](repeating: 0, count: 100_000)) {
                recorder.request(.max(1))
                isReleased.update { $0 = true }
            })
        switch end {
        case .anotherChunk: receiver.receive(.chunk(Data(count: 10), received: 100_010))
        case .failure: receiver.receive(.failed(TransportFailure(.transfer(.notHTTP))))
        case .cancellation: recorder.cancel()
        case .repetition:
            receiver.receive(.failed(TransportFailure(.transfer(.receiveFailed))))
            try await receivers.wait(for: "the next exchange") { $0.count == 2 }
        }
        try await isReleased.wait(for: "the release") { $0 }
        recorder.cancel()
    }

    /// And what has been handed over is not kept for as long as the subscription is.
    @Test func aCollectedBodyIsItsReceiversAlone() async throws {
        let isReleased = Watched(false)
        let recorder = EventRecorder<Int>()
        let transport = ScriptedTransport { _, receiver in
            receiver.receive(head())
            receiver.receive(
                foreignChunk(Array("1".utf8) + [UInt8](repeating: UInt8(ascii: " "), count: 99)) {
                    isReleased.update { $0 = true }
                })
            receiver.receive(.finished)
            return ScriptedExchange()
        }
        let client = HTTPClient(configuration: HTTPClient.Configuration(), transport: transport)
        // Safe because it is written before anything else happens.
        nonisolated(unsafe) var subscription: (any Subscription)?
        client.events(for: Call<Int>(.get, url.absoluteString))
            .handleEvents(receiveSubscription: { subscription = $0 })
            .subscribe(recorder)
        #expect(try await recorder.finished().response?.body == 1)
        try await isReleased.wait(for: "the release") { $0 }
        withExtendedLifetime(subscription) {}
    }

    /// A chunk in memory of somebody else's.
    private func foreignChunk(_ bytes: [UInt8], onRelease: @escaping @Sendable () -> Void) -> TransportEvent {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes.count, alignment: 1)
        memory.copyMemory(from: bytes, byteCount: bytes.count)
        let deallocator = Data.Deallocator.custom { memory, _ in
            memory.deallocate()
            onRelease()
        }
        return .chunk(
            Data(bytesNoCopy: memory, count: bytes.count, deallocator: deallocator), received: Int64(bytes.count))
    }

    enum BodyEnd: Sendable {
        case anotherChunk
        case failure
        case cancellation
        case repetition
    }
}
