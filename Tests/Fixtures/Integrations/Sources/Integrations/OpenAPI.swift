import Adapters
import HTTPTypes
import OpenAPIRuntime
import StreamsHTTP
import StreamsLoopback

private let megabyte = 1024 * 1024

/// A server, and a generated client whose transport is an `HTTPClient`.
private struct Fixture {
    let server: LoopbackServer
    let client: HTTPClient
    let notes: NotesClient

    init(_ configure: (inout HTTPClient.Configuration) -> Void = { _ in }) throws {
        server = try LoopbackServer(limits: .init(socketBuffers: 64 * 1024))
        client = HTTPClient(baseURL: URL(string: server.url("/api"))).configuring(configure)
        notes = try NotesClient(
            serverURL: unwrap(URL(string: server.url("/api/"))), transport: OpenAPITransport(client))
    }
}

func checkOpenAPI() async throws {
    try await convertsValues()
    try await appendsServerURLWithoutHostToBaseURL()
    try await returnsErrorStatus()
    try await returnsHeadOfLastAttempt()
    try await wrapsErrors()
    try await requestsUploadByDemand()
    try await requestsDownloadByDemand()
    try await cancelsBothWays()
}

private func convertsValues() async throws {
    let fixture = try Fixture()
    fixture.server.on("POST", "/api/notes", .json(#"{"text":"kept"}"#, status: 201))
    guard case .created(let note) = try await fixture.notes.createNote(Note(text: "new")) else {
        throw Unexpected(description: "the note was not created")
    }
    try expect(note, Note(text: "kept"))
    let request = try unwrap(fixture.server.requests.first)
    try expect(request.target, "/api/notes?draft=a%20b")
    try expect(request.text, #"{"text":"new"}"#)
    try expect(request.headers.values(of: "Content-Type"), ["application/json; charset=utf-8"])
    try expect(request.headers.values(of: "Content-Length"), ["14"])

    fixture.server.on("HEAD", "/api/attachment", .generated(1000))
    try await expect(fixture.notes.download(method: .head) == nil, true)
}

private func appendsServerURLWithoutHostToBaseURL() async throws {
    let fixture = try Fixture { $0.defaultQuery = ["key": "1"] }
    fixture.server.on("GET", "/api/v1/attachment", .text("kept"))
    let notes = try NotesClient(
        serverURL: unwrap(URL(string: "/v1")), transport: OpenAPITransport(fixture.client))
    let body = try await unwrap(notes.download())
    try expect(body.length, .known(4))
    try await expect(Data(collecting: body, upTo: 10), Data("kept".utf8))
    try expect(fixture.server.requests.map(\.target), ["/api/v1/attachment?key=1"])
}

private func returnsErrorStatus() async throws {
    let fixture = try Fixture()
    fixture.server.on("POST", "/api/notes", .json(#"{"title":"too long"}"#, status: 422))
    guard case .undocumented(let code, let body?) = try await fixture.notes.createNote(Note(text: "new")) else {
        throw Unexpected(description: "the error has no body")
    }
    try expect(code, 422)
    try await expect(Data(collecting: body, upTo: 100), Data(#"{"title":"too long"}"#.utf8))

    // An error is not collected, and can be of any length.
    fixture.server.on("GET", "/api/attachment", Reply(500, body: .generated(8 * megabyte)))
    let long = try await unwrap(fixture.notes.download())
    try await expect(Data(collecting: long, upTo: .max).count, 8 * megabyte)

    // The client has no other credentials to try.
    let url = try unwrap(URL(string: fixture.server.url("/v2")))
    fixture.server.on("GET", "/v2/attachment", .text("expired", status: 401))
    let problem = try await unwrap(makeNotesClient(serverURL: url, token: "t").download())
    try await expect(Data(collecting: problem, upTo: 100), Data("expired".utf8))
    try expect(fixture.server.requests.last?.headers["Authorization"], "Bearer t")
}

private func returnsHeadOfLastAttempt() async throws {
    let fixture = try Fixture {
        $0.options.retry = RetryPolicy(maxRetries: 1, backoff: .init(initial: .milliseconds(1)))
    }
    fixture.server.on("PUT", "/api/attachment", .status(503), .status(204), .status(503), .status(503))
    let body = try OpenAPIRuntime.HTTPBody(JSONEncoder().encode(Note(text: "kept")))
    try await expect(fixture.notes.upload(body), 204)
    try await expect(fixture.notes.upload(body), 503)
    try expect(fixture.server.requests.map(\.text), Array(repeating: #"{"text":"kept"}"#, count: 4))
    // A body that can be iterated once is sent once.
    let chunks = CountedChunks(bytes: megabyte)
    try await expect(fixture.notes.upload(.init(chunks.sequence, length: .unknown, iterationBehavior: .single)), 503)
    try expect(fixture.server.requests.count, 5)

    // A response that breaks off after its head has been returned is not repeated.
    fixture.server.on("GET", "/api/attachment", .generated(10).failing(with: .close(at: .inBody(after: 0))), .text("x"))
    let broken = try await unwrap(fixture.notes.download())
    let error = await failure { try await Data(collecting: broken, upTo: .max) }
    try expect((error as? HTTPError)?.name, "transfer.body-ended-early")
}

private func wrapsErrors() async throws {
    let unreachable = try NotesClient(
        serverURL: unwrap(URL(string: "http://127.0.0.1:1")), transport: OpenAPITransport(HTTPClient()))
    try await expect(create(Note(text: "new"), with: unreachable) == nil, true)
    let refused = await failure { try await unreachable.createNote(Note(text: "new")) } as? ClientError
    try expect(refused?.operationID, "createNote")
    try expect((refused?.underlyingError as? HTTPError)?.name, "connection.refused")

    let fixture = try Fixture()
    let short = OpenAPIRuntime.HTTPBody(
        CountedChunks(bytes: megabyte).sequence, length: .known(1), iterationBehavior: .single)
    fixture.server.on("PUT", "/api/attachment", .status(204))
    let mismatch = await failure { try await fixture.notes.upload(short) } as? ClientError
    try expect((mismatch?.underlyingError as? HTTPError)?.name, "thrown.body")
}

private func requestsUploadByDemand() async throws {
    let fixture = try Fixture()
    let gate = Gate()
    let chunks = CountedChunks(bytes: 32 * megabyte)
    fixture.server.on("PUT", "/api/attachment", intake: .after(gate), .status(204))
    async let status = fixture.notes.upload(
        .init(chunks.sequence, length: .known(Int64(32 * megabyte)), iterationBehavior: .single))
    try await chunks.waitForBackPressure()
    try expect(chunks.produced < 16 * megabyte, true)
    gate.open()
    try await expect(status, 204)
    try expect(fixture.server.requests.map(\.bodyCount), [32 * megabyte])
    try expect(GeneratedBytes.matches(fixture.server.requests[0].body, at: 0), true)
}

private func requestsDownloadByDemand() async throws {
    let fixture = try Fixture()
    fixture.server.on("GET", "/api/attachment", .generated(32 * megabyte))
    let body = try await unwrap(fixture.notes.download())
    try expect(body.length, .known(Int64(32 * megabyte)))
    var received = 0
    for try await chunk in body {
        if received == 0 { try await fixture.server.waitForBackPressure() }
        if received < megabyte { try expect(fixture.server.bytesWritten < 16 * megabyte, true) }
        try expect(GeneratedBytes.matches(chunk, at: received), true)
        received += chunk.count
    }
    try expect(received, 32 * megabyte)
}

private func cancelsBothWays() async throws {
    let fixture = try Fixture()
    fixture.server.on("GET", "/api/attachment", .generated(32 * megabyte))
    // The task that iterates is cancelled.
    let reading = Task {
        let body = try await unwrap(fixture.notes.download())
        for try await _ in body { try await fixture.server.waitForBackPressure() }
    }
    try await fixture.server.waitForBackPressure()
    reading.cancel()
    _ = await reading.result
    try await fixture.server.waitForDisconnection(of: 1)
    // The body is released.
    _ = try await fixture.notes.download()
    try await fixture.server.waitForDisconnection(of: 2)

    // The task that uploads is cancelled, and with it the sequence.
    let gate = Gate()
    fixture.server.on("PUT", "/api/attachment", intake: .after(gate), .status(204))
    let chunks = CountedChunks(bytes: 32 * megabyte)
    let uploading = Task {
        try await fixture.notes.upload(.init(chunks.sequence, length: .unknown, iterationBehavior: .single))
    }
    try await chunks.waitForBackPressure()
    uploading.cancel()
    let cancellation = await failure { try await uploading.value } as? ClientError
    try expect((cancellation?.underlyingError as? HTTPError)?.isCancellation, true)
    gate.open()
    try await fixture.server.waitForDisconnection(of: 3)
    // A sequence that is awaited is cancelled, too.
    let (sequence, continuation) = AsyncStream.makeStream(of: ArraySlice<UInt8>.self)
    let (terminations, termination) = AsyncStream.makeStream(of: Void.self)
    continuation.onTermination = { _ in termination.finish() }
    continuation.yield([1])
    fixture.server.on("PUT", "/api/attachment", .status(204))
    let waiting = Task { try await fixture.notes.upload(.init(sequence, length: .unknown, iterationBehavior: .single)) }
    try await fixture.server.wait { $0.requests.last?.bodyCount == 1 }
    waiting.cancel()
    for await _ in terminations {}
    _ = await waiting.result
    // The server ends an upload by its response.
    fixture.server.on("PUT", "/api/attachment", intake: .first(bytes: 1000), .status(413))
    let refused = CountedChunks(bytes: 32 * megabyte)
    try await expect(fixture.notes.upload(.init(refused.sequence, length: .unknown, iterationBehavior: .single)), 413)
    try expect(refused.produced < 32 * megabyte, true)
}
