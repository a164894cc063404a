import Testing

/// Whom the tool trusts, and how it exits where it does not.
@Suite(.enabled(if: SecureServer.isExpected, "openssl is not installed"), .serialized)
struct TrustTests {
    @Test func anUnknownAuthorityIs60() async throws {
        let server = try await SecureServer.start()
        let run = try await Tool.run(server.url)
        #expect(run.status == 60, "\(run.errors)")
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("the server's certificate is not trusted"))
    }

    @Test func anAuthorityThatIsNamedIsTrusted() async throws {
        let server = try await SecureServer.start()
        let run = try await Tool.run(server.url, "--cacert", server.certificate)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.text.contains("TLS"))
    }

    @Test func anyoneIsTrustedOnRequest() async throws {
        let server = try await SecureServer.start()
        let run = try await Tool.run(server.url, "--insecure")
        #expect(run.status == 0, "\(run.errors)")
    }
}
