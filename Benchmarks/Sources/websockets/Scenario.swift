/// Work that several clients do.
struct Scenario {
    enum Kind: String {
        /// Messages are sent one after the other while the echoes arrive.
        case echoed
        /// Each message is sent when the echo of the one before has arrived.
        case turns
        /// WebSockets are open at the same time, and silent but for a ping every half minute.
        case open
    }

    let name: String
    let kind: Kind
    /// The number of messages or of WebSockets.
    let count: Int
    /// The size of a message in bytes.
    let size: Int

    /// The clients that do the work.
    var sides: [Side] { Side.allCases.filter { kind == .echoed || $0 != .streamsFromMainActor } }

    static let all = [
        Scenario(name: "1,000,000 messages of 100 bytes each way", kind: .echoed, count: 1_000_000, size: 100),
        Scenario(name: "20,000 messages of 64 KiB each way", kind: .echoed, count: 20_000, size: 64 << 10),
        Scenario(name: "100,000 messages of 100 bytes in turns", kind: .turns, count: 100_000, size: 100),
        Scenario(name: "10,000 open WebSockets", kind: .open, count: 10_000, size: 0),
    ]
}

/// A client under measurement.
enum Side: String, CaseIterable, Codable {
    /// This library, with a sink for what arrives and a publisher of what is sent.
    case streams = "Streams"
    /// This library, with messages that are awaited, those that arrive and those that are sent.
    case streamsAwaited = "Streams, awaited"
    /// This library as in `streams`, with a sending task on the main actor.
    case streamsFromMainActor = "Streams, from the main actor"
    /// The codec of SwiftNIO, with what a client has above it.
    case nio = "NIOWebSocket"
    /// `websockets` of PyPI.
    case websockets = "websockets"
    /// aiohttp of PyPI.
    case aiohttp = "aiohttp"
    /// `ws` of npm.
    case node = "ws"

    /// Returns the program that does the work, and prints an ``Outcome``.
    func program(_ scenario: Scenario, _ url: String) -> [String] {
        let work = [url, scenario.kind.rawValue, String(scenario.count), String(scenario.size)]
        switch self {
        case .streams, .streamsAwaited, .streamsFromMainActor, .nio:
            return [CommandLine.arguments[0], Worker.argument, rawValue] + work
        case .websockets, .aiohttp: return ["python3", "Peers/peers.py", rawValue] + work
        case .node: return ["node", "--expose-gc", "Peers/ws.js"] + work
        }
    }
}

/// The result of one side in one round.
struct Outcome: Codable {
    var seconds: Double
    var cpuSeconds: Double
    /// The peak memory in MiB.
    var peakMemory: Double
    /// The number of echoes or of open WebSockets.
    var units: Int
    /// The number of bytes by which each WebSocket has enlarged the memory of the process.
    var bytesPerSocket: Double?

    var rate: Double { Double(units) / seconds }
}
