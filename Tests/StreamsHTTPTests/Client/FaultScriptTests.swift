import StreamsHTTP
import StreamsLoopback
import Testing

/// Hundreds of random scripts: whatever a server does, the stream obeys the grammar and no byte is wrong.
@Suite(.serialized, .reservesDescriptors) struct FaultScriptTests {
    @Test(arguments: 0..<8)
    func everyStreamObeysTheGrammar(part: Int) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let server = try LoopbackServer()
        let client = server.client(
            options: .with {
                $0.retry = RetryPolicy(
                    maxRetries: 2, backoff: Backoff(initial: .zero, maximum: .zero))
                $0.timeouts.idle = .milliseconds(100)
            })
        for round in 0..<25 {
            let scripts = (0...Int.random(in: 0...3, using: &random)).map { _ in ReplyScript(&random) }
            let place: Comment = "seed \(seed), round \(round), \(scripts)"
            let path = "/\(round)"
            server.on("GET", path) { request in scripts[min(request.turn, scripts.count) - 1].reply(at: path) }
            server.on("GET", "\(path)/moved") { request in scripts[min(request.turn, scripts.count) - 1].landing }
            let demand = Int.random(in: 0...2, using: &random)
            if Bool.random(using: &random) {
                let recorder = EventRecorder<Void>(stepwise: demand)
                client.events(for: HTTPRequest(.get, path)).subscribe(recorder)
                let recording = try await recorder.recording.wait(for: "the end of \(place)") { $0.isComplete }
                #expect(recording.violations == [], place)
                #expect(GeneratedBytes.matches(recording.body, at: 0), place)
                check(recording.failure, length: recording.body.count, scripts, place)
            } else {
                let recorder = EventRecorder<Data>(stepwise: demand)
                client.events(for: Call<Data>(.get, path)).subscribe(recorder)
                let recording = try await recorder.recording.wait(for: "the end of \(place)") { $0.isComplete }
                #expect(recording.violations == [], place)
                #expect(recording.chunkCount == 0, place)
                let body = recording.response?.body ?? Data()
                #expect(GeneratedBytes.matches(body, at: 0), place)
                check(recording.failure, length: body.count, scripts, place)
            }
        }
    }

    /// A stream that ends well has brought the whole of one of the bodies, or what is taken for it where the end of the
    /// connection is the end of the body.
    private func check(_ failure: HTTPError?, length: Int, _ scripts: [ReplyScript], _ place: Comment) {
        if let failure {
            #expect(!failure.isCancellation, place)
        } else {
            #expect(scripts.contains { $0.size == length || $0.endsSilently && length < $0.size }, place)
        }
    }
}

/// A reply drawn at random.
struct ReplyScript: Sendable, CustomStringConvertible {
    let size: Int
    let framing: Reply.Body.Framing
    let status: Int
    let fault: Fault?
    let isMoved: Bool

    init(_ random: inout SeededGenerator) {
        let sizes = [0, 1, 100, 16_384, 65_521, 300_000]
        size = sizes.randomElement(using: &random) ?? 0
        let framings: [Reply.Body.Framing] = [.length, .chunked, .untilClose]
        framing = framings.randomElement(using: &random) ?? .length
        status =
            Int.random(in: 0..<6, using: &random) == 0 ? [404, 500, 503].randomElement(using: &random) ?? 404 : 200
        isMoved = Int.random(in: 0..<4, using: &random) == 0
        fault = Bool.random(using: &random) ? nil : Self.fault(size: size, &random)
    }

    private static func fault(size: Int, _ random: inout SeededGenerator) -> Fault {
        // The shortest head has 38 bytes: with all of them a body without a declared end would be whole, and empty.
        let places: [Fault.Place] = [
            .beforeHead, .inHead(after: Int.random(in: 0..<38, using: &random)),
            .inBody(after: Int.random(in: 0...size, using: &random)), .afterReply,
        ]
        let place = places.randomElement(using: &random) ?? .beforeHead
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<6: return .reset(at: place)
        case 6..<12: return .close(at: place)
        case 12: return .stall(at: place)
        case 13: return .garbage()
        case 14: return .oversizedHead(bytes: 512 * 1024)
        case 15, 16: return .malformedChunkSize(after: Int.random(in: 0...size, using: &random))
        default: return .drip(from: place, bytes: max(size / 50, 7), every: .zero)
        }
    }

    /// Returns the reply to the first path: the reply itself, or a redirect to it.
    func reply(at path: String) -> Reply {
        guard isMoved else { return landing }
        return Reply(307, headers: ["Location": "\(path)/moved"], body: .generated(size % 1000))
    }

    var landing: Reply {
        var reply = Reply(status, body: .generated(size, framing: framing))
        reply.fault = fault
        return reply
    }

    /// Whether the body ends too early in a way that nobody can tell.
    var endsSilently: Bool {
        guard framing == .untilClose, case .close(.inBody) = fault else { return false }
        return true
    }

    var description: String { "\(status) \(framing) \(size)\(isMoved ? " moved" : "") \(fault.map { "\($0)" } ?? "")" }
}

/// The same numbers for the same seed (SplitMix64, by Sebastiano Vigna).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension StreamRecorder {
    /// Creates a recorder that requests a number of events at a time, or all at once if the number is zero.
    convenience init(stepwise step: Int) {
        guard step > 0 else {
            self.init()
            return
        }
        let left = Watched(step)
        self.init(demand: .max(step)) { _, _ in
            let isUsedUp = left.update { left in
                left -= 1
                defer { if left == 0 { left = step } }
                return left == 0
            }
            return isUsedUp ? .max(step) : .none
        }
    }
}
