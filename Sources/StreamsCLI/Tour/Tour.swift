import Dispatch
import StreamsHTTP
import StreamsLoopback

/// A tour of the library's features, with a server inside this process.
struct Tour {
    private static let scenes: [any Scene.Type] = [
        DecodedRequest.self, DownloadWithProgress.self, UploadWithProgress.self, FlakyEndpoint.self, TypedError.self,
        SlowSubscriber.self, Cancellation.self, HealingFeed.self, PollForChanges.self, Awaited.self,
    ]

    /// The time limit of the tour.
    private static let limit = DispatchTimeInterval.seconds(14)

    private let page = Page()
    private let interruption = Interruption()

    func run() async -> ExitStatus {
        interruption.onSignal { [weak interruption] in
            _exit(ExitStatus.interrupted(by: interruption?.signal ?? SIGINT).rawValue)
        }
        setWatchdog()
        let start = ContinuousClock.now
        page.write(
            "Streams \(HTTPClient.version): what it does, shown against a server inside this process.", as: .plain)
        var failures = 0
        for (number, scene) in zip(1..., Self.scenes) {
            page.open(scene, number: number, of: Self.scenes.count)
            do {
                try await scene.play()
            } catch {
                failures += 1
                page.write("  ! \(error)", as: .failure)
            }
        }
        let seconds = Int(((ContinuousClock.now - start) / .seconds(1)).rounded(.up))
        page.write("", as: .plain)
        guard failures == 0 else {
            page.write("\(failures) of \(Self.scenes.count) scenes went wrong.", as: .failure)
            return .tourFailed
        }
        page.write("\(Self.scenes.count) scenes in \(seconds) s. Next: streams --help", as: .plain)
        return .success
    }

    private func setWatchdog() {
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.limit) { [page] in
            page.write("The tour hangs.", as: .failure)
            _exit(ExitStatus.tourFailed.rawValue)
        }
    }
}

extension Scene {
    /// Plays the scene on its own stage.
    fileprivate static func play() async throws {
        // With small buffers, backpressure shows immediately.
        let server = try LoopbackServer(limits: LoopbackServer.Limits(socketBuffers: 64 * 1024))
        defer { server.stop() }
        try await Self(stage: Stage(server: server)).play()
    }
}
