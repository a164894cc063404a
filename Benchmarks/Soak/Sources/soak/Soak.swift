import Foundation
import StreamsHTTP
import Synchronization

/// A client that lives through what a daemon lives through in weeks, and is checked all the time.
@main final class Soak: Sendable {
    static func main() async throws {
        if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "serve" {
            return try await HostileServer.serve(tellingAddressesIn: CommandLine.arguments[2])
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
    let server = Mutex<HostileProcess?>(nil)
    /// The time of Dispatch's first thread.
    private let dispatchStart: ContinuousClock.Instant
    /// Runs what befalls the process and its server, one after the other.
    private let faults = DispatchQueue(label: "faults")

    private init(_ settings: Settings) throws {
        let hasThread = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { hasThread.signal() }
        hasThread.wait()
        dispatchStart = .now
        self.settings = settings
        ledger = Ledger(concurrency: settings.concurrency)
        folder = FileManager.default.temporaryDirectory.appending(path: "soak-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func run() async throws -> Bool {
        defer { try? FileManager.default.removeItem(at: folder) }
        let start = ContinuousClock.now
        if !HostileServer.isSecure { tell("without TLS: nginx, openssl or gzip is not installed") }
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
        let (slope, error) = steady.memorySlope
        tell(String(format: "memory: %.0f ± %.0f bytes for each 1,000 exchanges", slope, error))
        tell(ledger.summary)
        let isSettled = after.isAtMost(before)
        if !isSettled { tell("left: \(ProcessSample.openDescriptors)") }
        return ledger.breachCount == 0 && isSettled
    }

    /// The number of exchanges before those that count.
    static let warmUp = 200
    /// The size of the cache in bytes: less than its routes need.
    private static let cacheSize: Int64 = 2 << 20

    /// Runs exchanges with a client that is released at the end.
    ///
    /// - Returns: Twenty samples on the way.
    private func soak(_ count: Int, _ start: ContinuousClock.Instant) async throws -> [ProcessSample] {
        let cache = try HTTPCache(path: folder.appending(path: "cache-\(count)").path, maxSize: Self.cacheSize)
        let clients = Clients(settings.configuration, cache)
        var random = SplitMix64(seed: settings.seed)
        var samples: [ProcessSample] = []
        try faults.sync { try startServer() }
        let period = max(count / 20, 1)
        for number in 1...count {
            await waitForPlace(clients)
            begin(number, clients, &random)
            switch number % period {
            case 0:
                // Not while all descriptors are taken.
                let sample = faults.sync { ProcessSample(exchanges: number, since: start) }
                samples.append(sample)
                if count > Self.warmUp { tell(sample.row) }
            case period / 3: faults.async { self.replaceServer() }
            case period * 2 / 3: faults.async { self.exhaustDescriptors() }
            default: break
            }
        }
        while ledger.countUnderWay > 0 {
            try await Task.sleep(for: .milliseconds(10))
            ledger.reportLost(after: settings.patience) { clients.description }
        }
        for client in [clients.usual, clients.stubborn, clients.caching] {
            await client.shutdown()
            await checkNothingIsLeft(of: client)
        }
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
        let started = try HostileProcess(in: folder)
        server.withLock { $0 = started }
    }

    /// Starts another server for new exchanges, and kills the one that serves those under way.
    private func replaceServer() {
        let old = server.withLock { $0 }
        while (try? startServer()) == nil { usleep(10_000) }
        old?.kill()
    }

    private func waitForPlace(_ clients: Clients) async {
        while ledger.places.wait(timeout: .now()) == .timedOut {
            try? await Task.sleep(for: .milliseconds(1))
            ledger.reportLost(after: settings.patience) { clients.description }
        }
    }

    /// Takes all descriptors that the process may have, for 50 milliseconds.
    private func exhaustDescriptors() {
        // Every second from its first thread on, Dispatch reads a file about each thread of a queue with work. It ends the
        // process if that takes a descriptor too many.
        while case let second = (ContinuousClock.now - dispatchStart) / .seconds(1),
            case let part = second - second.rounded(.down), part < 0.1 || part > 0.8
        {
            usleep(10_000)
        }
        var taken: [Int32] = []
        while case let descriptor = open("/dev/null", O_RDONLY), descriptor >= 0 { taken.append(descriptor) }
        usleep(50_000)
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

/// The clients of a soak, which share their connections and cookies.
struct Clients: Sendable, CustomStringConvertible {
    let jar = CookieJar()
    let usual: HTTPClient
    /// Without a circuit breaker, which would let few requests pass to servers that never work.
    let stubborn: HTTPClient
    /// With a cache, which also answers while the server is away.
    let caching: HTTPClient

    init(_ configuration: HTTPClient.Configuration, _ cache: HTTPCache) {
        var configuration = configuration
        configuration.cookies = jar
        usual = HTTPClient(configuration: configuration, transport: CurlTransport())
        stubborn = usual.configuring { $0.limits.circuitBreaker = nil }
        caching = usual.configuring {
            $0.cache = cache
            $0.options.cache.staleIfError = .seconds(60)
        }
    }

    /// The snapshots of the clients.
    var description: String { "\(usual.snapshot)\n\(stubborn.snapshot)\n\(caching.snapshot)" }
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
