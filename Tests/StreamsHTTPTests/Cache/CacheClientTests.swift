import Foundation
import StreamsTesting
import Testing

@testable import StreamsHTTP

/// The public cases for private caches, played by a client in virtual time. ``CacheCaseTests`` says which are followed, and why
/// others are not.
struct CacheClientTests {
    /// The origin of a case, as a transport.
    private struct Origin: HTTPTransport {
        let origin: CacheCaseOrigin
        let scheduler: TestScheduler
        let clock: RequestClock

        func start(_ request: TransportRequest, delivering receiver: any TransportReceiver) -> any TransportExchange {
            switch origin.react(to: request, at: clock.date) {
            case .disconnect: receiver.receive(.failed(TransportFailure(.transfer(.emptyReply))))
            case .reply(let head, let body, let pause):
                if pause > 0 { scheduler.advance(by: .seconds(pause)) }
                receiver.receive(.head(head))
                if !body.isEmpty { receiver.receive(.chunk(body, received: Int64(body.count))) }
                receiver.receive(.finished)
            }
            return ScriptedExchange()
        }
    }

    private func verdict(of test: CacheCase, _ cache: HTTPCache) async -> CacheCasePlayer.Verdict {
        let scheduler = TestScheduler()
        var player = CacheCasePlayer(test)
        var configuration = HTTPClient.Configuration()
        configuration.cache = cache
        configuration.options.validation = .acceptAll
        configuration.options.redirects = .deliver
        let transport = Origin(origin: player.origin, scheduler: scheduler, clock: RequestClock(scheduler))
        let client = HTTPClient(configuration: configuration, transport: transport, scheduler: scheduler)
        for index in test.requests.indices {
            let planned = player.request(at: index)
            var request = HTTPRequest(
                planned.method, planned.url.absoluteString, headers: planned.headers, body: planned.body)
            request.options.cache = planned.cache
            do {
                let response = try await client.response(for: request)
                player.take(.response(response.replacingBody(()), response.body))
            } catch {
                player.take(.failure)
            }
            scheduler.advance(by: .seconds(Int(player.pause(after: index))))
        }
        return player.verdict
    }

    @Test(arguments: [false, true]) func aClientFollowsTheCases(isOnDisk: Bool) async throws {
        let folder = try ScratchFolder()
        let cache =
            try isOnDisk ? HTTPCache(path: folder.path + "/cache", maxSize: 64 << 20) : HTTPCache(maxMemory: 64 << 20)
        for test in try CacheCase.all() {
            let verdict = await verdict(of: test, cache)
            #expect((verdict == .holds) == (CacheCase.deviations[test.id] == nil), "\(test.id): \(verdict)")
        }
    }
}
