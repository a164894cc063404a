import Foundation
import StreamsLoopback
import Testing

/// Bodies over TLS.
@Suite(.enabled(if: SecureServer.isExpected, "openssl is not installed"), .serialized)
struct SecureBodyTests {
    private static let sizes = [0, 1, 16_385, 65_536, 65_537, 66_000, 100_000, 131_071, 131_072, 131_073, 300_001]

    private let folder: Folder

    init() throws {
        folder = try Folder()
    }

    private static func server() async throws -> SecureServer {
        let bodies = sizes.map { ("\($0)", Data(GeneratedBytes.bytes(0..<$0))) }
        return try await SecureServer.start(serving: Dictionary(uniqueKeysWithValues: bodies))
    }

    @Test func writesEveryByteToStandardOutput() async throws {
        let server = try await Self.server()
        for size in Self.sizes {
            let run = try await Tool.run("\(server.url)\(size)", "--cacert", server.certificate)
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.output.isGenerated(size), "\(run.output.count) of \(size) bytes")
        }
    }

    @Test func writesEveryByteToAFile() async throws {
        let server = try await Self.server()
        for size in Self.sizes {
            let file = folder.path("\(size)")
            let run = try await Tool.run("\(server.url)\(size)", "--cacert", server.certificate, "-o", file)
            #expect(run.status == 0, "\(run.errors)")
            #expect(folder.data(of: "\(size)")?.isGenerated(size) == true, "\(size) bytes")
        }
    }

    @Test func downloadsEveryByte() async throws {
        let server = try await Self.server()
        let urls = Self.sizes.map { "\(server.url)\($0)" }
        // The server has one connection at a time.
        let options = ["--parallel", "1", "--cacert", server.certificate]
        let run = try await Tool.run(in: folder, ["download"] + options + urls)
        #expect(run.status == 0, "\(run.errors)")
        for size in Self.sizes {
            #expect(folder.data(of: "\(size)")?.isGenerated(size) == true, "\(size) bytes")
        }
    }
}
