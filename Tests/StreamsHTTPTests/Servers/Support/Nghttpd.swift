import Foundation

/// nghttpd, which speaks HTTP/2 alone: over clear text by prior knowledge, or over TLS.
struct Nghttpd: Sendable {
    /// One over clear text for all tests.
    static let clear = Task { try await Nghttpd(isSecure: false) }
    /// One over TLS for all tests.
    static let secure = Task { try await Nghttpd(isSecure: true) }
    /// One over clear text that responds before it has read the body of a request.
    static let early = Task { try await Nghttpd(isSecure: false, isEarly: true) }

    /// The size of `/large`, which is generated. Only the server over TLS has it.
    private static let largeCount = 256 << 20

    /// The certificate of the authority that vouches for it, where it speaks TLS.
    let authority: String?
    private let origin: String
    private let process: ServerProcess

    private init(isSecure: Bool, isEarly: Bool = false) async throws {
        let program = try Program.nghttpd.installed()
        let folder = try ServerFolder("nghttpd")
        let port = try LoopbackPort.free()
        try folder.makeFolder("files")
        try folder.write("over HTTP/2", to: "files/text")
        if isSecure { try folder.writeGenerated(0..<Self.largeCount, to: "files/large") }
        authority = isSecure ? try Certificates(in: folder).authority : nil
        origin = isSecure ? "https://localhost:\(port)" : "http://127.0.0.1:\(port)"
        let options = ["--address=127.0.0.1", "--htdocs=\(folder.path("files"))"]
        let mode = isSecure ? ["\(port)", "server.key", "server.pem"] : ["--no-tls", "\(port)"]
        let uploads = isEarly ? "--early-response" : "--echo-upload"
        process = try await ServerProcess([program, uploads] + options + mode, folder: folder.path, port: port)
    }

    func url(_ path: String) -> String { origin + path }
}
