import Foundation
import StreamsHTTP
import StreamsLoopback

extension Soak {
    /// Starts an exchange: a tenth is faulty, a fifth of the others uses TLS, a fifth is cancelled, a twentieth has a slow
    /// subscriber.
    func begin(_ number: Int, _ clients: Clients, _ random: inout SplitMix64) {
        guard let addresses = server.withLock({ $0?.addresses }) else {
            return ledger.report("exchange \(number): no server")
        }
        let isSecure = Int.random(in: 0..<5, using: &random) == 0
        let cancellation: Watcher.Cancellation =
            switch Int.random(in: 0..<10, using: &random) {
            case 0: .atEvent(.random(in: 1...4, using: &random))
            case 1: .after(.microseconds(Int.random(in: 0..<5000, using: &random)))
            default: .never
            }
        let client = clients.usual
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<8:
            var seed = SplitMix64(seed: UInt64(number % Self.cacheableRouteCount))
            var route = BodyRoute.random(framings: [.length, .chunked], using: &seed)
            // The next request completes what has come before a break.
            route.breaks = Bool.random(using: &seed)
            let errand = Errand(route, isSecure: isSecure, isBuffered: false, isCacheable: true, at: addresses)
            let isAwaited = Bool.random(using: &random)
            run(number, errand, clients.caching, isAwaited: isAwaited, isSlow: false, cancellation)
        case 8..<72:
            let route = BodyRoute.random(using: &random)
            let isBuffered = Bool.random(using: &random)
            let fault = Int.random(in: HostileServer.faults.indices, using: &random)
            let isFaulty = Int.random(in: 0..<8, using: &random) == 0
            let errand = isFaulty ? Errand(fault: fault, at: addresses) : nil
            let isSlow = Int.random(in: 0..<20, using: &random) == 0
            let isAwaited = Int.random(in: 0..<4, using: &random) == 0
            run(
                number, errand ?? Errand(route, isSecure: isSecure, isBuffered: isBuffered, at: addresses),
                errand == nil ? client : clients.stubborn, isAwaited: isAwaited, isSlow: isSlow, cancellation)
        case 72..<76:
            let size = min(BodyRoute.randomSize(using: &random), Self.maxUploadSize)
            let content = Data(GeneratedBytes.bytes(0..<size))
            upload(number, content, .data(content), client, at: addresses, isSecure: isSecure, cancellation)
        case 76..<80:
            // A part that can be compressed follows one that cannot.
            let bytes = GeneratedBytes.bytes(0..<Int.random(in: 1...50_000, using: &random))
            let content = Data(bytes) + Self.lines.prefix(Int.random(in: 0...Self.lines.count, using: &random))
            let body = HTTPBody.data(content).compressed(Bool.random(using: &random) ? .gzip : .deflate)
            upload(number, content, body, client, at: addresses, isSecure: isSecure, cancellation)
        case 80..<85:
            let request = addresses.request(.get, "/events", isSecure: isSecure).settingOptions {
                $0.timeouts.idle = .milliseconds(500)
            }
            let feed = client.serverSentEvents(for: request, options: settings.feedOptions)
            runTask(number, "/events", cancellation) {
                var next = 1
                for try await event in feed.values {
                    guard event.id == "\(next)" else { return "event \(event.id) in place of \(next)" }
                    guard event.data == HostileServer.eventData(of: next) else { return "other data in event \(next)" }
                    next += 1
                }
                return next == HostileServer.eventCount + 1 ? nil : "\(next - 1) events"
            }
        case 85..<90:
            let room = HostileServer.room(of: number)
            let request = addresses.request(.get, "/rooms/\(room)/visit", isSecure: isSecure)
            runTask(number, "/rooms", cancellation) {
                try await self.visit(request, of: room, number, with: clients)
            }
        case 90..<95:
            let request = addresses.request(.get, "/pages/1", isSecure: isSecure)
            runTask(number, "/pages", cancellation) { try await Self.readPages(from: request, with: client) }
        default:
            let path = folder.appending(path: "\(number)").path
            let route = BodyRoute.random(framings: [.length, .chunked], codings: [.identity], using: &random)
            let errand = Errand(
                route, isSecure: isSecure, isBuffered: Bool.random(using: &random), at: addresses)
            runTask(number, "download of \(errand.name)", cancellation) {
                defer { Self.removeFiles(of: path) }
                let file = try await client.downloadFile(for: errand.request, to: path)
                let bytes = try Data(contentsOf: URL(filePath: path))
                return errand.problem(size: Int(file.size)) ?? errand.problem(with: bytes)
            }
        }
    }

    /// The number of responses that may be stored.
    private static let cacheableRouteCount = 60

    /// The maximum size of a body that is not compressed. The server keeps those that it echoes.
    private static let maxUploadSize = 131_073

    /// A text of lines that differ.
    private static let lines = Data((0..<10_000).map { "line \($0)\n" }.joined().utf8)

    /// Runs an exchange whose body is echoed.
    ///
    /// - Parameters:
    ///   - content: The bytes that are expected back.
    ///   - body: The body that they are sent as.
    private func upload(
        _ number: Int, _ content: Data, _ body: HTTPBody, _ client: HTTPClient, at addresses: HostileAddresses,
        isSecure: Bool, _ cancellation: Watcher.Cancellation
    ) {
        let request = addresses.request(.post, "/echo", body: body, isSecure: isSecure)
        runTask(number, "/echo", cancellation) {
            try await client.response(for: request).body == content ? nil : "other bytes"
        }
    }

    /// Runs an exchange that is subscribed to or awaited.
    private func run(
        _ number: Int, _ errand: Errand, _ client: HTTPClient, isAwaited: Bool, isSlow: Bool,
        _ cancellation: Watcher.Cancellation
    ) {
        guard isAwaited else {
            ledger.begin(number, errand.name)
            let watcher = Watcher(number, errand, isSlow: isSlow, cancellation: cancellation, ledger: ledger)
            return client.events(for: errand.request).subscribe(watcher)
        }
        runTask(number, errand.name, cancellation) {
            try await errand.problem(with: client.response(for: errand.request).body)
        } outcome: { [ledger] error in
            if let problem = errand.problem(with: error) {
                ledger.report("exchange \(number), \(errand.name): \(problem)")
            }
            return errand.outcome(error)
        }
    }

    /// Runs an exchange that is awaited.
    ///
    /// - Parameters:
    ///   - exchange: Returns what is wrong with its result.
    ///   - outcome: Returns what a failure counts as.
    private func runTask(
        _ number: Int, _ name: String, _ cancellation: Watcher.Cancellation,
        _ exchange: @escaping @Sendable () async throws -> String?,
        outcome: @escaping @Sendable (HTTPError) -> String = { $0.reason.name }
    ) {
        ledger.begin(number, name)
        let task = Task { [ledger] in
            do {
                if let problem = try await exchange() { ledger.report("exchange \(number), \(name): \(problem)") }
                ledger.end(number, "finished")
            } catch let error as HTTPError {
                if error.reason.name == "cancelled", !Task.isCancelled {
                    ledger.report("exchange \(number), \(name): cancelled by nobody")
                }
                ledger.end(number, outcome(error))
            } catch {
                ledger.end(number, "\(type(of: error))")
            }
        }
        switch cancellation {
        case .never: break
        // Before it starts, or as it does.
        case .atEvent: task.cancel()
        case .after(let delay):
            DispatchQueue.global().asyncAfter(deadline: .now() + (delay / .seconds(1))) { task.cancel() }
        }
    }

    /// Removes a downloaded file, or its part and record.
    private static func removeFiles(of path: String) {
        let folder = URL(filePath: path).deletingLastPathComponent()
        let name = URL(filePath: path).lastPathComponent
        for file in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        where file == name || file.hasPrefix("\(name).") || file.hasPrefix(".\(name).") {
            try? FileManager.default.removeItem(at: folder.appending(path: file))
        }
    }
}
