// Runs each adapter against a server on the loopback interface. Exits with an error if one does not work.

import StreamsHTTP

let checks: [(name: String, run: () async throws -> Void)] = [
    ("swift-log", checkLogging),
    ("swift-metrics", checkMetrics),
    ("swift-distributed-tracing", checkTracing),
    ("swift-service-lifecycle", checkLifecycle),
    ("swift-http-types", checkConversions),
    ("swift-openapi-runtime", checkOpenAPI),
    ("soto-core", checkSoto),
    ("smithy-swift", checkSmithy),
    ("all together", checkTogether),
]
for check in checks {
    do {
        try await check.run()
        print("ok      \(check.name)")
    } catch {
        print("FAILED  \(check.name): \(error)")
        exit(1)
    }
}
