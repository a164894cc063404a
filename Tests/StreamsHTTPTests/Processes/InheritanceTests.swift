import StreamsHTTP
import StreamsLoopback
import Testing

#if os(Linux)
/// The descriptors that a program inherits that the process starts.
@Suite(.reservesDescriptors) struct InheritanceTests {
    @Test func aTransportsDescriptorsAreNotInherited() async throws {
        let server = try LoopbackServer()
        server.otherwise { _ in .text("ok") }
        await #expect(processExitsWith: .success) { [url = server.url("/") as String] in
            let before = Set(inherited())
            _ = try await HTTPClient().response(for: HTTPRequest(.get, url))
            let left = inherited().filter { !before.contains($0) }
            if !left.isEmpty { exit(Int32(left.count)) }
        }
    }
}

/// The descriptors without close-on-exec.
private func inherited() -> [CInt] {
    (0..<1024).filter { descriptor in
        let flags = fcntl(descriptor, F_GETFD)
        return flags >= 0 && flags & FD_CLOEXEC == 0
    }
}
#endif
