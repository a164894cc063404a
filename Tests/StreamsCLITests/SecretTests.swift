import Foundation
import StreamsLoopback
import Testing

/// The tool shows no secret, and no control character of a server.
@Suite(.serialized) struct SecretTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    @Test func hidesSecretsInAllOutput() async throws {
        server.on("GET", "/old", .redirect(to: "/new?access_token=s3cret&page=3"))
        server.on(
            "GET", "/new",
            Reply(
                503,
                headers: [
                    "Set-Cookie": "sid=s3cret", "X-Goog-Api-Key": "s3cret",
                    "Operation-Location": "https://h/?sig=s3cret", "X-Next": "https://ann:s3cret@h/",
                ], body: .text("busy")))
        let url = server.url("/old?api_key=s3cret&page=2&u=https%3A%2F%2Fh%2F%3Faccess_token%3Ds3cret")
        for option in ["-v", "--events"] {
            let run = try await Tool.run(url, option, "--retry", "1", "-H", "PRIVATE-TOKEN: s3cret")
            #expect(run.status == 22)
            #expect(!run.errors.contains("s3cret") && !run.text.contains("s3cret"), "\(run.errors) \(run.text)")
            #expect((run.errors + run.text).contains("page=2"))
        }
        let failed = try await Tool.run("http://user:s3cret@127.0.0.1:1/?sig=s3cret")
        #expect(failed.status == 7 && !failed.errors.contains("s3cret"), "\(failed.errors)")
    }

    @Test func hidesCredentialsOfProxies() async throws {
        let environment = ["http_proxy": "foo://user:s3cret@127.0.0.1:1"]
        let run = try await Tool.run("http://h.invalid/", "-v", "--events", environment: environment)
        #expect(run.status != 0)
        #expect(!run.errors.contains("s3cret") && !run.text.contains("s3cret"), "\(run.errors) \(run.text)")
    }

    @Test(arguments: ["\u{1B}[2J", "\u{7F}", "\u{9B}31m", "\u{2028}", "\u{202E}"])
    func escapesControlCharacters(control: String) async throws {
        server.on("GET", "/", Reply(headers: ["X-Odd": "a\(control)b"]))
        server.on("GET", "/old", .redirect(to: "http://[a\(control)b]/"))
        for path in ["/", "/old"] {
            let run = try await Tool.run(server.url(path), "-v", "--events")
            let lines = (run.errors + run.text).split(separator: "\n")
            #expect(lines.contains { $0.contains("X-Odd") || $0.contains("[a") })
            for line in lines {
                #expect(
                    line.unicodeScalars.allSatisfy { scalar in
                        !(scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                            || ["\u{2028}", "\u{2029}", "\u{202E}"].contains(scalar))
                    }, "\(line.debugDescription)")
            }
        }
    }
}
