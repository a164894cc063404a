import Foundation
import StreamsHTTP
import StreamsLoopback

extension Soak {
    /// Starts an exchange: a tenth is faulty, a fifth is cancelled, a twentieth has a slow subscriber.
    func begin(_ number: Int, _ client: HTTPClient, _ random: inout SplitMix64) {
        let isFaulty = Int.random(in: 0..<10, using: &random) == 0
        let route = HostileServer.routes[Int.random(in: HostileServer.routes.indices, using: &random)]
        let path = isFaulty ? "/fault/\(Int.random(in: HostileServer.faults.indices, using: &random))" : route.path
        let cancellation: Watcher.Cancellation =
            switch Int.random(in: 0..<10, using: &random) {
            case 0: .atEvent(.random(in: 1...4, using: &random))
            case 1: .after(.microseconds(Int.random(in: 0..<5000, using: &random)))
            default: .never
            }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<60:
            ledger.begin(number, path)
            let isSlow = Int.random(in: 0..<20, using: &random) == 0
            let watcher = Watcher(
                number, size: isFaulty || !route.isBounded ? nil : route.size, isFaulty: isFaulty, isSlow: isSlow,
                cancellation: cancellation, ledger: ledger)
            client.events(for: HTTPRequest(.get, url(path))).subscribe(watcher)
        case 60..<80:
            let request = HTTPRequest(.get, url(path))
            runTask(number, path, cancellation) {
                let response = try await client.response(for: request)
                let size = response.body.count
                return isFaulty || !route.isBounded || size == route.size ? nil : "\(size) bytes"
            }
        case 80..<90:
            let body = GeneratedBytes.bytes(0..<Int.random(in: 1...50_000, using: &random))
            let request = HTTPRequest(.post, url("/echo"), body: .data(Data(body)))
            runTask(number, "/echo", cancellation) {
                try await client.response(for: request).body == Data(body) ? nil : "other bytes"
            }
        case 90..<95:
            let feed = client.serverSentEvents(for: HTTPRequest(.get, url("/events")), options: settings.feedOptions)
            runTask(number, "/events", cancellation) {
                var next = 1
                for try await event in feed.values {
                    guard event.id == "\(next)" else { return "event \(event.id) in place of \(next)" }
                    next += 1
                }
                return next == HostileServer.eventCount + 1 ? nil : "\(next - 1) events"
            }
        default:
            let path = folder.appending(path: "\(number)").path
            let request = HTTPRequest(.get, url("/file"))
            runTask(number, "/file", cancellation) {
                defer { Self.removeFiles(of: path) }
                let file = try await client.downloadFile(request, to: path)
                let bytes = try Data(contentsOf: URL(filePath: path))
                return file.size == 200_000 && GeneratedBytes.matches(bytes, at: 0) ? nil : "\(file.size) bytes"
            }
        }
    }

    private func url(_ path: String) -> String { "http://127.0.0.1:\(server.withLock { $0?.port } ?? 0)\(path)" }

    /// Runs an exchange that is awaited.
    ///
    /// - Parameter exchange: Returns what is wrong with its result.
    private func runTask(
        _ number: Int, _ name: String, _ cancellation: Watcher.Cancellation,
        _ exchange: @escaping @Sendable () async throws -> String?
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
                ledger.end(number, error.name)
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
