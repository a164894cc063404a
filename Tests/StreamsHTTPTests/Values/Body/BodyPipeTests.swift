import Foundation
import StreamsLoopback
import StreamsTesting
import Testing

@testable import StreamsHTTP

/// A publisher's chunks on their way into a request.
@Suite(.reservesDescriptors) struct BodyPipeTests {
    private let probe: ProbePublisher<Data, any Error>
    private let isAsked: Watched<Bool>

    init() {
        let isAsked = Watched(false)
        self.isAsked = isAsked
        probe = ProbePublisher(onRequest: { _, _ in isAsked.update { $0 = true } })
    }

    private func open() async throws -> any HTTPBody.Source {
        let source = try #require(try HTTPBody.stream(probe).open {})
        try await isAsked.wait(for: "demand") { $0 }
        return source
    }

    private func read(_ source: any HTTPBody.Source) -> (HTTPBody.ReadResult, [UInt8]) {
        var buffer = [UInt8](repeating: 0, count: 100)
        let read = buffer.withUnsafeMutableBytes { source.read(into: $0) }
        guard case .bytes(let count) = read else { return (read, []) }
        return (read, Array(buffer.prefix(count)))
    }

    @Test func aChunkIsLetGoOfWhereItMaySendTheNext() async throws {
        let source = try await open()
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
        memory.copyBytes(from: GeneratedBytes.bytes(0..<64))
        probe.send(
            Data(
                bytesNoCopy: try #require(memory.baseAddress), count: 64,
                deallocator: .custom { [probe] address, _ in
                    address.deallocate()
                    probe.send(Data(GeneratedBytes.bytes(64..<67)))
                }))
        #expect(read(source).1 == GeneratedBytes.bytes(0..<64))
        #expect(read(source).1 == GeneratedBytes.bytes(64..<67))
        source.cancel()
    }

    @Test func theFirstCompletionCounts() async throws {
        struct Late: Error {}
        let probe = ProbePublisher<Data, any Error>(
            retention: .always, onRequest: { [isAsked] _, _ in isAsked.update { $0 = true } })
        let source = try #require(try HTTPBody.stream(probe).open {})
        try await isAsked.wait(for: "demand") { $0 }
        probe.send(completion: .finished)
        probe.send(completion: .failure(Late()))
        probe.send(Data([1]))
        guard case .end = read(source).0 else {
            Issue.record("the body has not ended")
            return
        }
    }

    /// One chunk, and a subscription that tells when it is gone.
    private struct OneChunk: Publisher {
        typealias Output = Data
        typealias Failure = any Error

        let isReleased: Watched<Bool>

        func receive<S: Subscriber>(subscriber: S) where S.Input == Data, S.Failure == any Error {
            subscriber.receive(subscription: Run(AnySubscriber(subscriber), isReleased))
        }

        private final class Run: Subscription {
            private var downstream: AnySubscriber<Data, any Error>?
            private let isReleased: Watched<Bool>

            init(_ downstream: AnySubscriber<Data, any Error>, _ isReleased: Watched<Bool>) {
                self.downstream = downstream
                self.isReleased = isReleased
            }

            deinit { isReleased.update { $0 = true } }

            func request(_ demand: Subscribers.Demand) {
                guard let downstream = downstream.take() else { return }
                _ = downstream.receive(Data("chunk".utf8))
                downstream.receive(completion: .finished)
            }

            func cancel() {
                downstream = nil
            }
        }
    }

    @Test func aSourceThatIsDoneIsGoneBeforeTheResponse() async throws {
        let server = try LoopbackServer()
        let gate = Gate()
        defer { gate.open() }
        server.on("POST", "/", Reply(body: .chunked("begin", .hold(gate), "end")))
        let client = server.client()
        let isReleased = Watched(false)
        async let recording = EventRecorder.record(
            client.events(for: HTTPRequest(.post, "/", body: .stream(OneChunk(isReleased: isReleased)))))
        try await isReleased.wait(for: "the release of the source", within: .seconds(10)) { $0 }
        gate.open()
        #expect(try await recording.response?.status == .ok)
        #expect(server.requests.first?.body == Array("chunk".utf8))
    }
}
