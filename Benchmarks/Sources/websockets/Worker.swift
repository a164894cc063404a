import Foundation
import Measuring
import StreamsLoopback
import Synchronization

/// A client under measurement.
protocol SocketClient: Sendable {
    /// Opens a WebSocket.
    ///
    /// - Parameter onText: Called for each text that is received.
    func open(_ url: String, onText: @escaping @Sendable (String) -> Void) async throws -> any OpenSocket
}

/// An open WebSocket, which is closed when it is released.
protocol OpenSocket: Sendable {
    /// Sends a text, and waits until it has been written.
    func send(_ text: String) async throws

    /// Sends a text a number of times.
    func send(_ text: String, count: Int) async throws
}

extension OpenSocket {
    func send(_ text: String, count: Int) async throws {
        for _ in 0..<count { try await send(text) }
    }
}

/// Does the work of one scenario with one client, and prints the outcome.
struct Worker {
    static let argument = "--work"
    /// The time for which open WebSockets are watched.
    private static let idleTime = Duration.seconds(60)

    private let client: any SocketClient
    private let url: String
    private let kind: Scenario.Kind
    private let count: Int
    private let size: Int

    init(_ arguments: [String]) throws {
        guard arguments.count == 6, let side = Side(rawValue: arguments[1]),
            let kind = Scenario.Kind(rawValue: arguments[3]), let count = Int(arguments[4]),
            let size = Int(arguments[5])
        else { throw Failure("\(Self.argument) is for this program itself") }
        client =
            switch side {
            case .nio: NIOClient()
            case .streamsAwaited: StreamsClient(sending: .awaited)
            case .streamsFromMainActor: StreamsClient(sending: .publishedFromMainActor)
            default: StreamsClient(sending: .published)
            }
        url = arguments[2]
        (self.kind, self.count, self.size) = (kind, count, size)
    }

    func run() async throws {
        if kind != .open { try await verifyEchoes() }
        let outcome =
            switch kind {
            case .echoed: try await sendAll()
            case .turns: try await takeTurns()
            case .open: try await keepOpen()
            }
        print(String(decoding: try JSONEncoder().encode(outcome), as: UTF8.self))
    }

    /// Compares some echoes with what was sent, by a WebSocket of its own, so that measuring takes no time for it.
    private func verifyEchoes() async throws {
        let (echoes, arrival) = AsyncStream<String>.makeStream()
        let socket = try await client.open(url) { arrival.yield($0) }
        var iterator = echoes.makeAsyncIterator()
        for number in 0..<10 {
            let text = text(from: number)
            try await socket.send(text)
            guard await iterator.next() == text else { throw Failure("an echo differs") }
        }
        withExtendedLifetime(socket) {}
    }

    /// Returns a text of irregular letters.
    ///
    /// - Parameter start: The number of letters that are left out before it.
    private func text(from start: Int = 0) -> String {
        let letters = GeneratedBytes.bytes(start..<start + size).map { UInt8(ascii: "a") + $0 % 26 }
        return String(decoding: letters, as: UTF8.self)
    }

    private func sendAll() async throws -> Outcome {
        let text = text()
        let echoes = Echoes(count: count, size: size)
        let socket = try await client.open(url) { echoes.add($0.utf8.count) }
        let meter = Meter()
        try await socket.send(text, count: count)
        await echoes.wait()
        return withExtendedLifetime(socket) { outcome(meter) }
    }

    private func takeTurns() async throws -> Outcome {
        let text = text()
        let (echoes, arrival) = AsyncStream<Void>.makeStream()
        let socket = try await client.open(url) { _ in arrival.yield() }
        let meter = Meter()
        var iterator = echoes.makeAsyncIterator()
        for _ in 0..<count {
            try await socket.send(text)
            await iterator.next()
        }
        return withExtendedLifetime(socket) { outcome(meter) }
    }

    private func keepOpen() async throws -> Outcome {
        // The memory that the process keeps for good is allocated by the first ones.
        var sockets = try await open(100)
        let before = Meter.residentMemory
        while sockets.count < 100 + count { sockets += try await open(50) }
        let bytes = Double(Meter.residentMemory - before) / Double(count)
        let meter = Meter()
        try await Task.sleep(for: Self.idleTime)
        return withExtendedLifetime(sockets) {
            var outcome = outcome(meter)
            outcome.bytesPerSocket = bytes
            return outcome
        }
    }

    /// Opens a number of WebSockets at once.
    private func open(_ count: Int) async throws -> [any OpenSocket] {
        try await withThrowingTaskGroup(of: (any OpenSocket).self) { group in
            for _ in 0..<count { group.addTask { try await client.open(url) { _ in } } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func outcome(_ meter: Meter) -> Outcome {
        Outcome(
            seconds: meter.seconds, cpuSeconds: meter.cpuSeconds, peakMemory: Meter.peakMemory, units: count)
    }
}

/// Counts the echoes that arrive.
private final class Echoes: Sendable {
    private struct State {
        var missingCount: Int
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state: Mutex<State>
    private let size: Int

    init(count: Int, size: Int) {
        state = Mutex(State(missingCount: count))
        self.size = size
    }

    func add(_ size: Int) {
        let waiter = state.withLock { state in
            if size == self.size { state.missingCount -= 1 }
            return state.missingCount == 0 ? state.waiter.take() : nil
        }
        waiter?.resume()
    }

    /// Waits until all echoes have arrived.
    func wait() async {
        await withCheckedContinuation { waiter in
            let isOver = state.withLock { state in
                if state.missingCount > 0 { state.waiter = waiter }
                return state.missingCount == 0
            }
            if isOver { waiter.resume() }
        }
    }
}
