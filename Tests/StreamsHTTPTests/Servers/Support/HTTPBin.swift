import Foundation
import Testing

/// httpbin, served by gunicorn.
struct HTTPBin: Sendable {
    /// One for all tests.
    static let shared = Task { try await HTTPBin() }

    /// The interpreter that has httpbin, if any.
    static let python = PythonInterpreter.having("httpbin", "gunicorn")

    let port: UInt16
    private let process: ServerProcess

    private init() async throws {
        guard let python = Self.python else { throw Program.NotInstalled(name: "httpbin") }
        let folder = try ServerFolder("httpbin")
        port = try LoopbackPort.free()
        // Answers that are still being delayed must not delay its end.
        let options = ["--bind=127.0.0.1:\(port)", "--threads=32", "--graceful-timeout=1"]
        process = try await ServerProcess(
            ["/usr/bin/env", python, "-m", "gunicorn"] + options + ["httpbin:app"], folder: folder.path, port: port)
    }

    /// A URL, by default of the host that it is bound to.
    func url(_ path: String, host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(path)" }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test where httpbin is missing, unless the environment has `STREAMS_REQUIRE_SERVERS`.
    static var needsHTTPBin: Self {
        .enabled(
            "no httpbin and gunicorn, neither in STREAMS_HTTPBIN_PYTHON's interpreter nor in python3's"
        ) { Program.areRequired || HTTPBin.python != nil }
    }
}
