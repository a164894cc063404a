import Foundation
import Testing

/// A TLS server with a certificate for 127.0.0.1 that only itself vouches for. It answers every GET with a page, or
/// serves bodies.
final class SecureServer: Sendable {
    private static let program = "/usr/bin/openssl"
    private let folder: Folder
    private let process = Process()
    let url: String

    /// Whether the tests that need it can run, or must.
    static let isExpected =
        FileManager.default.isExecutableFile(atPath: program)
        || ProcessInfo.processInfo.environment["STREAMS_REQUIRE_SERVERS"] != nil

    /// The file with the certificate.
    var certificate: String { folder.path("certificate.pem") }
    /// The file with its private key.
    var key: String { folder.path("key.pem") }

    /// Starts a server, on a thread that may wait for it.
    ///
    /// - Parameters:
    ///   - requestingCertificates: Whether clients must present the server's certificate.
    ///   - bodies: The bodies of the responses by their names, which are paths below ``url``; `nil` for the page.
    static func start(
        requestingCertificates: Bool = false, serving bodies: [String: Data]? = nil
    ) async throws -> SecureServer {
        try await Running.onThread { Result { try SecureServer(requestingCertificates, bodies) } }.get()
    }

    /// Returns a file with the certificate and its private key.
    func certificateAndKey() throws -> String {
        let text = try [certificate, key].map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
        return try folder.write(text, to: "both.pem")
    }

    /// Returns a file with the private key, encrypted.
    func encryptedKey(password: String) throws -> String {
        let encrypting = Process()
        let path = folder.path("encrypted.pem")
        let arguments = ["ec", "-in", key, "-aes128", "-passout", "pass:\(password)", "-out", path]
        try Self.start(encrypting, arguments, output: FileHandle.nullDevice)
        try #require(encrypting.waitForStatus() == 0)
        return path
    }

    private init(_ requestsCertificates: Bool, _ bodies: [String: Data]?) throws {
        folder = try Folder()
        // The server sends a file as it is.
        for (name, body) in bodies ?? [:] {
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\r\n"
            try (Data(head.utf8) + body).write(to: URL(filePath: folder.path(name)))
        }
        let files = ["-keyout", folder.path("key.pem"), "-out", folder.path("certificate.pem")]
        let request = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        let names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
        let making = Process()
        try Self.start(making, ["req", "-x509"] + request + names + files, output: FileHandle.nullDevice)
        try #require(making.waitForStatus() == 0)

        let output = Pipe.uninherited()
        let keys = ["-cert", folder.path("certificate.pem"), "-key", folder.path("key.pem")]
        let verification = ["-Verify", "1", "-verify_return_error", "-CAfile", folder.path("certificate.pem")]
        try Self.start(
            process,
            ["s_server", "-accept", "127.0.0.1:0", bodies == nil ? "-www" : "-HTTP"] + keys
                + (requestsCertificates ? verification : []),
            output: output, in: folder)
        try output.fileHandleForWriting.close()
        let place = try #require(Self.place(in: output.fileHandleForReading))
        url = "https://\(place)/"
    }

    deinit {
        // A process inherits which signals its starter's thread blocks, and that may be every one that can be blocked.
        kill(process.processIdentifier, SIGKILL)
    }

    private static func start(
        _ process: Process, _ arguments: [String], output: Any, in folder: Folder? = nil
    ) throws {
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        if let folder { process.currentDirectoryURL = URL(filePath: folder.path) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// The address that the server reports to accept connections on.
    private static func place(in output: FileHandle) -> Substring? {
        var text = ""
        while true {
            let line = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .first { $0.hasPrefix("ACCEPT ") }
            if let line { return line.dropFirst("ACCEPT ".count) }
            let data = output.availableData
            guard !data.isEmpty else { return nil }
            text += String(decoding: data, as: UTF8.self)
        }
    }
}
