import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// Exchanges whose caller has nothing else to do. A transport that waits for longer than usual expects more to be answered
/// at once, so that slow machines do as well.
@Suite(.reservesDescriptors) struct AwaitedExchangeTests {
    private let server: LoopbackServer
    private let gate = Gate()
    /// More than is let through before somebody asks for more.
    private static let large = Data(repeating: 7, count: 700_000)

    init() throws {
        server = try LoopbackServer()
        server.otherwise { _ in .text("hello") }
        server.on("GET", "/held", .text("held").held(by: gate))
        server.on("GET", "/large", .bytes(Self.large))
        server.on("GET", "/moved", .redirect(to: "/there"))
    }

    /// A transport that has been answered at once, and whose thread sleeps.
    private func transport(maxCallerWait: Duration) async throws -> CurlTransport {
        let transport = CurlTransport(configuration: CurlTransport.Configuration(maxCallerWait: maxCallerWait))
        var recorder = try start("/first", on: transport, isAwaited: true)
        _ = try await recorder.ended()
        while maxCallerWait > .zero, !recorder.isCallers {
            recorder = try start("/next", on: transport, isAwaited: true)
            _ = try await recorder.ended()
        }
        return transport
    }

    private func start(_ path: String, on transport: CurlTransport, isAwaited: Bool) throws -> AwaitingRecorder {
        let recorder = AwaitingRecorder(isAwaited: isAwaited)
        let url = try #require(URL(string: server.url(path)))
        _ = transport.start(TransportRequest(method: .get, url: url), delivering: recorder)
        return recorder
    }

    @Test func theAnswerComesToTheCaller() async throws {
        let transport = try await transport(maxCallerWait: .seconds(600))
        for number in 0..<3 {
            let recorder = try start("/\(number)", on: transport, isAwaited: true)
            #expect(recorder.recording.body == Data("hello".utf8) && recorder.recording.isFinished)
            #expect(recorder.isCallers)
        }
        #expect(Set(server.requests.map(\.connection)).count == 1)
    }

    @Test(arguments: [Duration.zero, .seconds(60)])
    func nobodyIsKeptWhoDoesNotAwaitIt(_ maxCallerWait: Duration) async throws {
        let transport = try await transport(maxCallerWait: maxCallerWait)
        let recorder = try start("/held", on: transport, isAwaited: maxCallerWait == .zero)
        #expect(!recorder.recording.isOver)
        gate.open()
        #expect(try await recorder.ended().body == Data("held".utf8))
    }

    @Test func whatTakesLongerIsTheThreadsAndNotAwaitedAgain() async throws {
        let transport = try await transport(maxCallerWait: .milliseconds(200))
        let first = try start("/held", on: transport, isAwaited: true)
        #expect(!first.recording.isOver)
        gate.open()
        #expect(try await first.ended().body == Data("held".utf8))
        let second = try start("/second", on: transport, isAwaited: true)
        _ = try await second.ended()
        #expect(first.threads.union(second.threads).count == 1)
    }

    @Test func aCallerMakesRoomForAnother() async throws {
        let transport = try await transport(maxCallerWait: .seconds(600))
        async let held = Task.detached { try start("/held", on: transport, isAwaited: true) }.value
        try await server.wait { $0.requests.contains { $0.path == "/held" } }
        let other = try start("/other", on: transport, isAwaited: true)
        #expect(try await other.ended().body == Data("hello".utf8))
        let recorder = try await held
        gate.open()
        #expect(try await recorder.ended().body == Data("held".utf8))
    }

    /// Where it leads is the thread's business, which the caller is called away for.
    @Test func aRedirectIsFollowed() async throws {
        let client = server.client(transport: try await transport(maxCallerWait: .seconds(600)))
        let response = try await client.data(for: HTTPRequest(.get, "/moved"))
        #expect(response.body == Data("hello".utf8))
        #expect(response.redirects.count == 1)
    }

    /// The caller stops waiting for what it has to ask for itself.
    @Test func aLargeBodyIsNotWaitedForInVain() async throws {
        let client = server.client(transport: try await transport(maxCallerWait: .seconds(600)))
        for _ in 0..<50 {
            _ = try await client.data(for: HTTPRequest(.get, "/small"))
            #expect(try await client.data(for: HTTPRequest(.get, "/large")).body == Self.large)
        }
    }

    /// The task goes on where it was, and is not even suspended, where the thread sleeps and a handle is there; but every
    /// so often.
    @Test func aTaskHasItsAnswersOnItsOwnThread() async throws {
        let client = server.client(transport: try await transport(maxCallerWait: .seconds(600)))
        var threads: [pthread_t] = []
        for number in 0..<120 {
            let response = try await client.data(for: HTTPRequest(.get, "/\(number)"))
            #expect(response.body == Data("hello".utf8))
            threads.append(pthread_self())
        }
        let runs = threads.reduce(into: [(thread: pthread_t, count: Int)]()) { runs, thread in
            if runs.last?.thread == thread { runs[runs.count - 1].count += 1 } else { runs.append((thread, 1)) }
        }
        #expect(runs.contains { $0.count >= 20 })
    }

    @Test func everySoOftenTheThreadAnswers() async throws {
        let transport = try await transport(maxCallerWait: .seconds(600))
        var others = 0
        for number in 0..<70 {
            let recorder = try start("/\(number)", on: transport, isAwaited: true)
            _ = try await recorder.ended()
            if !recorder.isCallers { others += 1 }
        }
        #expect(others >= 2)
    }

    /// Where somebody else's code has a say, it runs on the transport's thread, as promised.
    @Test(arguments: [
        RequestOptions.with { $0.validation = .custom { _ in true } },
        RequestOptions.with {
            $0.retry = RetryPolicy(maxRetries: 1)
            $0.retry?.shouldRetry = { _ in false }
        },
        RequestOptions(),
    ])
    func closuresRunOnTheTransportsThread(_ options: RequestOptions) async throws {
        let note = ReceiverNote()
        let client = server.client(options: options, transport: note)
        _ = try await client.data(for: HTTPRequest(.get, "/"))
        #expect(note.isAwaited.withLock { $0 } == [options.validation == nil && options.retry == nil])
    }

    @Test func whatStartsLaterIsNotAwaited() async throws {
        let note = ReceiverNote()
        let transport = FaultInjectingTransport(wrapping: note, InjectedFault(.delay(.milliseconds(1))))
        _ = try await server.client(transport: transport).data(for: HTTPRequest(.get, "/"))
        #expect(note.isAwaited.withLock { $0 } == [false])
    }
}

/// Notes whether its exchanges are awaited.
private final class ReceiverNote: HTTPTransport {
    let isAwaited = Locked<[Bool]>([])
    private let base = CurlTransport()

    func start(_ request: TransportRequest, delivering receiver: any TransportReceiver) -> any TransportExchange {
        isAwaited.withLock { $0.append(receiver.isAwaited) }
        return base.start(request, delivering: receiver)
    }
}

/// Records an exchange, and on which threads its events come.
private final class AwaitingRecorder: TransportReceiver {
    let isAwaited: Bool
    private let caller = pthread_self()
    private let recorder = TransportRecorder()
    private let seen = Locked<Set<pthread_t>>([])

    init(isAwaited: Bool) {
        self.isAwaited = isAwaited
    }

    var recording: TransportRecorder.Recording { recorder.recording.value }
    var threads: Set<pthread_t> { seen.withLock { $0 } }
    /// Whether all has come on the thread that made this.
    var isCallers: Bool { threads == [caller] }

    func receive(_ event: TransportEvent) {
        _ = seen.withLock { $0.insert(pthread_self()) }
        recorder.receive(event)
    }

    /// Waits for the end of the exchange.
    func ended() async throws -> TransportRecorder.Recording {
        try await recorder.ended()
    }
}
