import Foundation
import StreamsHTTP
import Synchronization

/// A client that lives through what a daemon lives through in weeks, and is checked all the time.
@main final class Soak: Sendable {
    static func main() async throws {
        if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "serve" {
            return try HostileServer.serve(tellingPortIn: CommandLine.arguments[2])
        }
        do {
            let passed = try await Soak(Settings(CommandLine.arguments.dropFirst())).run()
            exit(passed ? 0 : 1)
        } catch SoakError.usage(let text) {
            tell(text)
            exit(2)
        }
    }

    let settings: Settings
    let ledger: Ledger
    let folder: URL
    /// The server that new exchanges are sent to.
    let server = Mutex<ServerProcess?>(nil)
    /// Runs what befalls the process and its server, one after the other.
    private let faults = DispatchQueue(label: "faults")

    private init(_ settings: Settings) throws {
        self.settings = settings
        ledger = Ledger(concurrency: settings.concurrency)
        folder = FileManager.default.temporaryDirectory.appending(path: "soak-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func run() async throws -> Bool {
        defer { try? FileManager.default.removeItem(at: folder) }
        let start = ContinuousClock.now
        tell(ProcessSample.header)
        // What the runtime keeps for good is made by the first exchanges.
        _ = try await soak(Self.warmUp, start)
        let before = await settledSample(0, start, like: nil)
        tell(before.row)
        let samples = try await soak(settings.exchanges, start)
        let after = await settledSample(settings.exchanges, start, like: before)
        tell(after.row)
        // Until a fifth of the work is done, buffers and pools grow to their sizes.
        let steady = samples.filter { $0.exchanges >= settings.exchanges / 5 }
        tell(String(format: "memory: %.0f bytes for each 1,000 exchanges", steady.memorySlope))
        tell(ledger.summary)
        let isSettled = after.isAtMost(before)
        if !isSettled { tell("left: \(ProcessSample.openDescriptors)") }
        return ledger.breachCount == 0 && isSettled
    }

    private static let warmUp = 200

    /// Runs exchanges with a client that is released at the end.
    ///
    /// - Returns: Twenty samples on the way.
    private func soak(_ count: Int, _ start: ContinuousClock.Instant) async throws -> [ProcessSample] {
        let client = HTTPClient(configuration: settings.configuration)
        var random = SplitMix64(seed: settings.seed)
        var samples: [ProcessSample] = []
        try faults.sync { try startServer() }
        let period = max(count / 20, 1)
        for number in 1...count {
            await waitForPlace()
            begin(number, client, &random)
            switch number % period {
            case 0:
                // Not while all descriptors are taken.
                let sample = faults.sync { ProcessSample(exchanges: number, since: start) }
                samples.append(sample)
                if count > Self.warmUp { tell(sample.row) }
            case period / 3: faults.async { self.replaceServer() }
            case period * 2 / 3: faults.async { Self.exhaustDescriptors(for: .milliseconds(50)) }
            default: break
            }
        }
        while ledger.countUnderWay > 0 {
            try await Task.sleep(for: .milliseconds(10))
            ledger.reportLost(after: settings.patience)
        }
        await client.shutdown()
        await checkNothingIsLeft(of: client)
        faults.sync { server.withLock { $0.take() }?.kill() }
        return samples
    }

    /// Checks that no request, permit or exchange is left, when libcurl has had time to close connections.
    private func checkNothingIsLeft(of client: HTTPClient) async {
        for _ in 0..<500 {
            if client.snapshot.isIdle { return }
            try? await Task.sleep(for: .milliseconds(10))
        }
        ledger.report("left at the end: \(client.snapshot)")
    }

    private func startServer() throws(SoakError) {
        let started = try ServerProcess(in: folder)
        server.withLock { $0 = started }
    }

    /// Starts another server for new exchanges, and kills the one that serves those under way.
    private func replaceServer() {
        let old = server.withLock { $0 }
        while (try? startServer()) == nil { usleep(10_000) }
        old?.kill()
    }

    private func waitForPlace() async {
        while ledger.places.wait(timeout: .now()) == .timedOut {
            try? await Task.sleep(for: .milliseconds(1))
            ledger.reportLost(after: settings.patience)
        }
    }

    /// Takes all descriptors that the process may have, for a moment.
    private static func exhaustDescriptors(for duration: Duration) {
        var taken: [Int32] = []
        while case let descriptor = open("/dev/null", O_RDONLY), descriptor >= 0 { taken.append(descriptor) }
        usleep(UInt32(duration / .microseconds(1)))
        for descriptor in taken { close(descriptor) }
    }

    /// Waits until connections are closed and idle threads have ended, for half a minute at most.
    ///
    /// - Parameter before: The sample to come back to; `nil` for any that lasts two seconds.
    private func settledSample(
        _ exchanges: Int, _ start: ContinuousClock.Instant, like before: ProcessSample?
    ) async -> ProcessSample {
        var last = ProcessSample(exchanges: exchanges, since: start)
        for _ in 0..<15 {
            try? await Task.sleep(for: .seconds(2))
            let sample = ProcessSample(exchanges: exchanges, since: start)
            if sample.isAtMost(before ?? last) { return sample }
            last = sample
        }
        return last
    }
}

extension HTTPClient.Snapshot {
    /// Whether nothing is under way: no request, no feed, no permit, and no exchange on a connection.
    fileprivate var isIdle: Bool {
        requests.isEmpty && feeds.isEmpty
            && origins.allSatisfy { origin in
                let permits = origin.permits.map { $0.running + $0.waitingForPlace + $0.waitingForRate }
                let connections = origin.connections.map { $0.exchanges + $0.connecting }
                return (permits ?? 0) == 0 && (connections ?? 0) == 0
            }
    }
}
