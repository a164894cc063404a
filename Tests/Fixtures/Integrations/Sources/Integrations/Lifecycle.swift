import Adapters
import Logging
import ServiceLifecycle
import StreamsHTTP
import StreamsLoopback

func checkLifecycle() async throws {
    let server = try LoopbackServer()
    let gate = Gate()
    server.on("GET", "/slow", .text("late").held(by: gate))
    let client = HTTPClient(baseURL: URL(string: server.url("")))
    let group = ServiceGroup(
        services: [HTTPClientService(client)], logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() })

    try await withThrowingTaskGroup { tasks in
        tasks.addTask { try await group.run() }
        let slow = Task { try await client.response(for: HTTPRequest(.get, "/slow")) }
        try await server.waitForRequests(1)
        await group.triggerGracefulShutdown()
        // New requests are refused, and the running one completes.
        while (try? await client.response(for: HTTPRequest(.get, "/none"))) != nil { await Task.yield() }
        gate.open()
        try await expect(String(decoding: slow.value.body, as: UTF8.self), "late")
        try await tasks.waitForAll()
    }
}
