import StreamsHTTP
import Testing

#if os(Linux)
/// The end of a process whose engines are at work.
@Suite(.needs(.nginx, .openssl, .gzip), .serialized, .reservesDescriptors) struct ExitTests {
    /// `exit` takes the TLS library down while engines are in the middle of handshakes with it.
    @Test func aProcessEndsAsItWantsTo() async throws {
        let nginx = try await Nginx.shared.value
        let (url, authority) = (nginx.secureURL("/text"), nginx.authority)
        for round in 0..<10 {
            await #expect(processExitsWith: .exitCode(7), "round \(round)") {
                [url = url as String, authority = authority as String, round = round as Int] in
                let request = HTTPRequest(.get, url).settingOptions {
                    $0.connection.trustRoots = .file(path: authority)
                }
                let responses = Watched(0)
                for _ in 0..<8 {
                    Task {
                        // A client each time, so that there is an engine and a handshake each time.
                        while true {
                            let status = try await HTTPClient().response(for: request).status
                            responses.update { $0 += status == .ok ? 1 : 0 }
                        }
                    }
                }
                try await responses.wait(for: "a response") { $0 > round }
                exit(7)
            }
        }
    }
}
#endif
