import Testing

@testable import StreamsHTTP

#if os(Linux)
@Suite struct ExitGateTests {
    /// A child has none of its parent's engines, and none to wait for at its end.
    @Test func aChildOfABusyProcessEndsAtOnce() async {
        await #expect(processExitsWith: .exitCode(7)) {
            typealias Fork = @convention(c) () -> pid_t
            let fork = unsafeBitCast(try #require(dlsym(nil, "fork")), to: Fork.self)
            ExitGate.register()
            // An exit that waits takes a second each time; one that does not may only where the machine is busy.
            for _ in 0..<10 {
                let start = ContinuousClock.now
                let child = ExitGate.pass {
                    let child = fork()
                    if child == 0 { exit(0) }
                    return child
                }
                try #require(child > 0 && waitpid(child, nil, 0) == child)
                if ContinuousClock.now - start < .seconds(1) { exit(7) }
            }
        }
    }
}
#endif
