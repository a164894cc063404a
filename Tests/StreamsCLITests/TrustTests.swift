import Foundation
import Testing

/// The verification of certificates, and the client's own.
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

    @Test(arguments: ["--insecure", "-k", "-sk"])
    func acceptsAnyCertificateOnRequest(option: String) async throws {
        let server = try await SecureServer.start()
        let run = try await Tool.run(server.url, option, "-w", "%{time_appconnect}")
        #expect(run.status == 0, "\(run.errors)")
        let time = try #require(
            run.text.components(separatedBy: ">").last.flatMap { text in
                Double(text.filter { !$0.isWhitespace })
            })
        #expect(time > 0)
    }

    @Test func presentsAClientCertificate() async throws {
        let server = try await SecureServer.start(requestingCertificates: true)
        let without = try await Tool.run(server.url, "-k")
        #expect(without.status != 0)
        let run = try await Tool.run(server.url, "-k", "--cert", server.certificate, "--key", server.key)
        #expect(run.status == 0, "\(run.errors)")
        let file = try await Tool.run(server.url, "-k", "-E", try server.certificateAndKey())
        #expect(file.status == 0, "\(file.errors)")
    }

    @Test func opensAKeyWithItsPassword() async throws {
        let server = try await SecureServer.start(requestingCertificates: true)
        let key = try server.encryptedKey(password: "s3cret")
        let run = try await Tool.run(server.url, "-k", "--cert", server.certificate, "--key", key, "--pass", "s3cret")
        #expect(run.status == 0, "\(run.errors)")
        let attached = try await Tool.run(server.url, "-k", "--cert", "\(server.certificate):s3cret", "--key", key)
        #expect(attached.status == 0, "\(attached.errors)")
        let wrong = try await Tool.run(
            server.url, "-kv", "--cert", server.certificate, "--key", key, "--pass", "s3crets")
        #expect(wrong.status == 58, "\(wrong.errors)")
        #expect(!wrong.errors.contains("s3cret"))
    }

    @Test func aCertificateThatIsMissingIs58() async throws {
        let server = try await SecureServer.start()
        let run = try await Tool.run(server.url, "-k", "--cert", "/nonexistent.pem")
        #expect(run.status == 58, "\(run.errors)")
    }
}
