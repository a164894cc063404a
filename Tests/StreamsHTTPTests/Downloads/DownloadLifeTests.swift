import Foundation
import StreamsLoopback
import StreamsTesting
import Testing

@testable import StreamsHTTP

/// Downloads at once, their demand, their cancellation and their limits.
@Suite(.reservesDescriptors) struct DownloadLifeTests {
    private static let size = 300_000

    private let server: LoopbackServer
    private let folder: ScratchFolder
    private let path: String
    private let resource = RangedResource(size: size)

    init() throws {
        server = try LoopbackServer()
        folder = try ScratchFolder()
        path = "\(folder.path)/file"
    }

    private let request = HTTPRequest(.get, "/")

    /// Serves half of the resource, then the rest when a gate opens.
    private func serveHeld() -> Gate {
        let gate = Gate()
        let (resource, half) = (resource, Self.size / 2)
        var reply = resource.whole
        reply.body.pieces = [.generated(half), .hold(gate), .generated(Self.size - half)]
        server.on("GET", "/") { [reply] in $0.turn == 1 ? reply : resource.reply(to: $0) }
        return gate
    }

    private func expectFile(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let contents = try Data(contentsOf: URL(filePath: path))
        #expect(contents == Data(resource.bytes), sourceLocation: sourceLocation)
        #expect(try folder.names == ["file"], sourceLocation: sourceLocation)
    }

    // MARK: At once

    @Test func refusesASecondDownloadToTheSameFile() async throws {
        let gate = serveHeld()
        let client = server.client()
        let first = DownloadRecorder(of: client.download(for: request, to: path))
        try await first.recording.wait(for: "the first part") { !$0.progress.isEmpty }
        let error = try await failure { () async throws(HTTPError) in
            try await client.downloadFile(for: request, to: path)
        }
        guard case .invalidRequest(.downloadInProgress("\(path).streams-part")) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(server.requests.count == 1)
        gate.open()
        _ = try await first.finished()
        try expectFile()
        // Afterwards, another one replaces the file.
        _ = try await client.downloadFile(for: request, to: path)
        try expectFile()
    }

    @Test func manyDownloadsShareAGroup() async throws {
        let resource = resource
        server.otherwise { resource.reply(to: $0) }
        let (group, client) = (ProgressGroup(), server.client())
        group.expect(5, bytes: 5 * Int64(Self.size))
        let recorders = (0..<5).map { number in
            let recorder = DownloadRecorder()
            client.download(for: HTTPRequest(.get, "/\(number)"), to: "\(path)\(number)").tracking(in: group)
                .subscribe(recorder)
            return recorder
        }
        for recorder in recorders { #expect(try await recorder.finished().failure == nil) }
        let progress = group.progress
        #expect(progress.finishedCount == 5 && progress.requestCount == 5 && progress.fraction == 1)
        #expect(progress.transfer.completed == 5 * Int64(Self.size))
        #expect(try folder.names == (0..<5).map { "file\($0)" })
        for number in 0..<5 {
            #expect(try Data(contentsOf: URL(filePath: "\(path)\(number)")) == Data(resource.bytes))
        }
    }

    /// The bytes of an earlier call count as completed, and not as transferred.
    @Test func groupsCountResumedBytesHonestly() async throws {
        let clock = ManualClock()
        let group = ProgressGroup(clock: clock)
        let member = group.change { $0.add(expecting: nil) }
        clock.advance(by: .seconds(1))
        group.change { $0.resume(member, from: 900, total: nil) }
        #expect(group.progress.transfer.completed == 900)
        clock.advance(by: .seconds(1))
        group.change { $0.update(member, TransferProgress(completed: 1000, total: 1000), total: 1000) }
        let rate = try #require(group.progress.bytesPerSecond)
        #expect(rate <= 100)
        #expect(group.progress.fraction == 1)
    }

    // MARK: Demand

    @Test func sendsNothingWithoutDemand() async throws {
        server.on("GET", "/", resource.whole)
        let recorder = DownloadRecorder(of: server.client().download(for: request, to: path), demand: .none)
        #expect(try folder.names == [])
        recorder.request(.max(1))
        try await server.waitForRequests(1)
        recorder.cancel()
    }

    /// With a demand of one event at a time, the file is still written as fast as it comes.
    @Test func deliversOneEventAtATime() async throws {
        let gate = serveHeld()
        let recorder = DownloadRecorder(of: server.client().download(for: request, to: path), demand: .max(1))
        try await recorder.recording.wait(for: "progress") { !$0.progress.isEmpty }
        gate.open()
        // The file is complete before its progress is requested.
        while try folder.names != ["file"] { await Task.yield() }
        var count = 1
        #expect(recorder.recording.value.events.count == 1)
        while recorder.recording.value.completion == nil {
            recorder.request(.max(1))
            count += 1
            try await recorder.recording.wait(for: "event \(count)") { [count] in
                $0.events.count == count || $0.completion != nil
            }
        }
        let recording = try await recorder.finished()
        // The progress between the requests is conflated.
        #expect(recording.events.count == 3)
        #expect(recording.progress.last?.completed == Int64(Self.size))
        try expectFile()
    }

    @Test func theNextAttemptWaitsForDemand() async throws {
        server.on("GET", "/", .status(503), resource.whole)
        let options = RequestOptions.with {
            $0.retry = RetryPolicy(maxRetries: 1, backoff: Backoff(initial: .zero, maximum: .zero))
        }
        let scheduler = TestScheduler()
        let recorder = DownloadRecorder(demand: .none)
        server.client(options: options, scheduler: scheduler).download(for: request, to: path).subscribe(recorder)
        recorder.request(.max(1))
        try await recorder.recording.wait(for: "the end of an attempt") { $0.outline == ["retrying: status"] }
        #expect(await scheduler.wait(forPending: 1))
        #expect(server.requests.count == 1)
        scheduler.jump(by: .seconds(1))
        recorder.request(.unlimited)
        #expect(try await recorder.finished().failure == nil)
        try expectFile()
    }

    /// A subscriber that blocks makes the server wait: the memory is bounded by the window and the sockets' buffers.
    @Test func aSlowSubscriberMakesTheServerWait() async throws {
        server.on("GET", "/", .generated(64 << 20))
        let (reached, mayGoOn) = (Watched(false), Watched(false))
        let recorder = DownloadRecorder { _, event in
            if case .progress = event, !reached.value {
                reached.update { $0 = true }
                mayGoOn.waitSynchronously { $0 }
            }
            return .none
        }
        let download = server.client().download(for: request, to: path)
        Thread.detachNewThread { download.subscribe(recorder) }
        try await reached.wait(for: "progress") { $0 }
        try await server.waitForBackPressure(on: 1)
        #expect(server.requests[0].bytesWritten < 32 << 20)
        recorder.cancel()
        mayGoOn.update { $0 = true }
        try await server.waitForDisconnection(of: 1)
    }

    // MARK: Cancellation

    @Test func aCancelledCallIsResumed() async throws {
        _ = serveHeld()
        let client = server.client()
        let progress = Watched<Int64>(0)
        let (request, path) = (request, path)
        let call = Task {
            try await client.downloadFile(for: request, to: path) { next in progress.update { $0 = next.completed } }
        }
        try await progress.wait(for: "progress") { $0 > 0 }
        call.cancel()
        let error = try await failure { () async throws(HTTPError) in try await call.typedValue }
        #expect(error.isCancellation)
        #expect(try folder.names == ["file.streams-part", "file.streams-part.json"])
        // The file is closed when the call throws, so that the next one is not refused.
        let recording = try await DownloadRecorder.record(client.download(for: request, to: path))
        try expectFile()
        let offset = try #require(recording.file).size - (recording.file?.receivedBytes ?? 0)
        #expect(offset >= progress.value && recording.outline.first == "resuming \(offset)")
    }

    @Test func aCallOfACancelledTaskSendsNothing() async throws {
        server.on("GET", "/", resource.whole)
        let (client, request, path) = (server.client(), request, path)
        let call = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await client.downloadFile(for: request, to: path)
        }
        call.cancel()
        let error = try await failure { () async throws(HTTPError) in try await call.typedValue }
        #expect(error.isCancellation)
    }

    @Test func aCancelledSubscriptionIsResumed() async throws {
        _ = serveHeld()
        let client = server.client()
        let recorder = DownloadRecorder(of: client.download(for: request, to: path))
        try await recorder.recording.wait(for: "progress") { !$0.progress.isEmpty }
        recorder.cancel()
        try await server.waitForDisconnection(of: 1)
        let recording = try await DownloadRecorder.record(client.download(for: request, to: path))
        #expect(recording.failure == nil && recording.outline.first?.hasPrefix("resuming") == true)
        #expect(recorder.recording.value.completion == nil)
        try expectFile()
    }

    @Test func theClientCancelsDownloads() async throws {
        _ = serveHeld()
        let client = server.client()
        let recorder = DownloadRecorder(of: client.download(for: request, to: path))
        try await recorder.recording.wait(for: "progress") { !$0.progress.isEmpty }
        client.cancelAll()
        #expect(try await recorder.finished().failure?.isCancellation == true)
        // Not even one whose end awaits demand keeps a client from shutting down.
        let waiting = DownloadRecorder(of: client.download(for: request, to: path), demand: .max(1))
        while try folder.names != ["file"] { await Task.yield() }
        try expectFile()
        await client.shutdown(deadline: .zero)
        #expect(waiting.recording.value.failure?.isCancellation == true)
        let late = try await DownloadRecorder.record(client.download(for: request, to: path))
        #expect(late.failure?.name == "invalid-request.client-shut-down")
    }

    @Test func aDownloadHasAPlaceInTheQueue() async throws {
        let gate = serveHeld()
        let client = server.client().configuring { $0.limits.maxConcurrentRequests = 1 }
        let first = DownloadRecorder(of: client.download(for: request, to: path))
        try await first.recording.wait(for: "progress") { !$0.progress.isEmpty }
        let waiting = DownloadRecorder(of: client.download(for: request, to: "\(path)3"))
        try await client.waitForPlaces([nil, .slot])
        waiting.cancel()
        let options = RequestOptions.with { $0.timeouts.total = .milliseconds(50) }
        let second = try await DownloadRecorder.record(
            client.download(for: HTTPRequest(.get, "/", options: options), to: "\(path)2"))
        #expect(second.failure?.name == "timeout.queue" && second.failure?.timeoutWait?.place == .slot)
        #expect(second.failure?.timeoutWait?.elapsed ?? .zero >= .milliseconds(50))
        gate.open()
        #expect(try await first.finished().failure == nil)
        try expectFile()
    }

    @Test func theTotalTimeoutCoversAllAttempts() async throws {
        let scheduler = TestScheduler()
        server.on("GET", "/") { _ in .status(503) }
        let options = RequestOptions.with {
            $0.retry = RetryPolicy(maxRetries: 9, backoff: Backoff(initial: .seconds(60), maximum: .seconds(60)))
            $0.timeouts.total = .seconds(1)
        }
        let recorder = DownloadRecorder()
        server.client(options: options, scheduler: scheduler).download(for: request, to: path).subscribe(recorder)
        try await recorder.recording.wait(for: "the end of an attempt") { !$0.events.isEmpty }
        #expect(await scheduler.wait(forPending: 2))
        scheduler.jump(by: .seconds(1))
        #expect(try await recorder.finished().failure?.name == "timeout.total")
    }

    @Test func obeysTheMaximumSize() async throws {
        server.on("GET", "/", resource.whole)
        let options = RequestOptions.with { $0.maxBodySize = Self.size - 1 }
        let error = try await failure { () async throws(HTTPError) in
            try await server.client(options: options).downloadFile(for: request, to: path)
        }
        #expect(error.name == "transfer.body-too-large")
        let enough = RequestOptions.with { $0.maxBodySize = Self.size }
        _ = try await server.client(options: enough).downloadFile(for: request, to: path)
        try expectFile()
    }

    @Test func eventsAreAnAsynchronousSequence() async throws {
        server.on("GET", "/", resource.whole)
        var last: Download.Event?
        for try await event in server.client().download(for: request, to: path).values { last = event }
        guard case .finished(let file) = last else {
            Issue.record("\(String(describing: last))")
            return
        }
        #expect(file.size == Self.size)
        try expectFile()
    }
}

extension Task where Failure == any Error {
    /// The value of a task that fails with an ``HTTPError``.
    fileprivate var typedValue: Success {
        get async throws(HTTPError) {
            do {
                return try await value
            } catch let error as HTTPError {
                throw error
            } catch {
                throw .cancellation
            }
        }
    }
}
