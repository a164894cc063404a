import Foundation
import Testing

@testable import StreamsHTTP

@Suite struct SHA2Tests {
    /// The examples of FIPS 180-4 that NIST publishes, and the empty message.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ]) func hashesTheExamplesBySHA256(message: String, digest: String) {
        #expect(FileChecksum(Self.hash(Array(message.utf8), .sha256)).description == "sha256:\(digest)")
    }

    @Test(arguments: [
        (
            "abc",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
                + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
        ),
    ]) func hashesTheExamplesBySHA512(message: String, digest: String) {
        #expect(FileChecksum(Self.hash(Array(message.utf8), .sha512)).description == "sha512:\(digest)")
    }

    /// Every length around the ends of blocks, and random ones, in random pieces.
    @Test(
        .needs(.sha256sum, .sha512sum), arguments: [SHA2.Algorithm.sha256, .sha512],
        [SHA2.Implementation.system, .portable])
    func agreesWithTheSystem(algorithm: SHA2.Algorithm, implementation: SHA2.Implementation) throws {
        let program = algorithm == .sha256 ? Program.sha256sum : .sha512sum
        let sizes = [55, 56, 63, 64, 65, 111, 112, 127, 128, 129] + (0..<4).map { _ in Int.random(in: 0..<20_000) }
        for size in sizes {
            let bytes = (0..<size).map { _ in UInt8.random(in: 0...255) }
            var hash = SHA2(algorithm, by: implementation)
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...300))
                Array(piece).withUnsafeBytes { hash.update($0) }
                rest = rest.dropFirst(piece.count)
            }
            let output = String(decoding: try program.output(of: [], input: Data(bytes)), as: UTF8.self)
            let expected = output.prefix(2 * algorithm.digestSize)
            #expect(FileChecksum(hash).description == "\(algorithm.rawValue):\(expected)", "\(size) bytes")
        }
    }

    @Test func readsChecksums() throws {
        let text = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        let checksum = try #require(FileChecksum(text))
        #expect(
            checksum.description == text && checksum == FileChecksum("SHA256:" + text.dropFirst(7).uppercased()))
        #expect(checksum == FileChecksum(Self.hash(Array("abc".utf8), .sha256)))
        for wrong in ["", "sha256", "sha256:", "sha256:12", "md5:\(text.dropFirst(7))", "sha512:\(text.dropFirst(7))"] {
            #expect(FileChecksum(wrong) == nil)
        }
        #expect(FileChecksum(text.dropLast() + "g") == nil && FileChecksum(text + "0") == nil)
    }

    /// The examples of RFC 9530, and members that are not understood.
    @Test func readsDigestFields() throws {
        let value = "RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg="
        let content = Array("{\"hello\": \"world\"}\n".utf8)
        let checksum = FileChecksum(Self.hash(content, .sha256))
        let fields: HTTPHeaders = [
            "Repr-Digest": "unixsum=30637, sha-512=:AAAA:,\tsha-256=:\(value):;x=1", "repr-digest": "sha-256=\(value)",
        ]
        #expect(fields.digests("Repr-Digest") == [checksum])
        #expect(fields.digests("Content-Digest") == [])
    }

    private static func hash(_ bytes: [UInt8], _ algorithm: SHA2.Algorithm) -> SHA2 {
        var hash = SHA2(algorithm)
        bytes.withUnsafeBytes { hash.update($0) }
        return hash
    }
}
