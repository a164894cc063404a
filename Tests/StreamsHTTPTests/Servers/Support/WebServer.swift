import Foundation

/// A server of files in clear text, by a program that is not ours.
struct WebServer: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case apache, lighttpd, node, python

        var program: Program {
            switch self {
            case .apache: .apache
            case .lighttpd: .lighttpd
            case .node: .node
            case .python: .python3
            }
        }

        /// Whether a connection serves several requests.
        var keepsConnections: Bool { self != .python }
    }

    /// The content of `/text`.
    static let text = Data((0..<40_000).map { "All streams flow into the sea, \($0).\n" }.joined().utf8)

    private let port: UInt16
    private let process: ServerProcess

    init(_ kind: Kind) async throws {
        let program = try kind.program.installed()
        let folder = try ServerFolder(kind.rawValue)
        port = try LoopbackPort.free()
        try folder.makeFolder("files")
        try folder.write(Self.text, to: "files/text")
        let configuration = folder.path("configuration")
        try folder.write(Self.configuration(of: kind, port: port, folder: folder.path), to: "configuration")
        let arguments =
            switch kind {
            case .apache: ["-D", "FOREGROUND", "-f", configuration]
            case .lighttpd: ["-D", "-f", configuration]
            case .node: [configuration]
            case .python: ["-m", "http.server", "\(port)", "--bind", "127.0.0.1", "--directory", "files"]
            }
        process = try await ServerProcess([program] + arguments, folder: folder.path, port: port)
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Ends it, and waits until it is gone.
    func stop() async { await process.stop() }

    private static func configuration(of kind: Kind, port: UInt16, folder: String) -> String {
        switch kind {
        case .apache:
            """
            ServerRoot \(folder)
            ServerName localhost
            Listen 127.0.0.1:\(port)
            PidFile apache.pid
            ErrorLog /dev/stderr
            LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
            LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
            Mutex posixsem
            KeepAliveTimeout 60
            DocumentRoot \(folder)/files
            """
        case .lighttpd:
            """
            server.document-root = "\(folder)/files"
            server.bind = "127.0.0.1"
            server.port = \(port)
            server.max-keep-alive-idle = 60
            """
        case .node:
            """
            const text = require("fs").readFileSync("files/text");
            require("http").createServer({keepAliveTimeout: 60_000}, (request, response) => {
                if (request.url == "/echo") {
                    response.writeHead(200, {"Trailer": "X-End"});
                    request.on("data", part => response.write(part));
                    request.on("end", () => { response.addTrailers({"X-End": "yes"}); response.end(); });
                } else if (request.url == "/text") {
                    const range = /^bytes=(\\d+)-(\\d+)$/.exec(request.headers.range);
                    const part = range ? text.subarray(+range[1], +range[2] + 1) : text;
                    response.writeHead(range ? 206 : 200, {"Content-Length": part.length});
                    response.end(part);
                } else {
                    response.writeHead(404);
                    response.end("nothing");
                }
            }).listen(\(port), "127.0.0.1");
            """
        case .python:
            ""
        }
    }
}

/// A proxy of HTTP, by a program that is not ours.
struct WebProxy: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case squid, tinyproxy

        var program: Program { self == .squid ? .squid : .tinyproxy }
    }

    let url: String
    private let process: ServerProcess

    init(_ kind: Kind) async throws {
        let program = try kind.program.installed()
        let folder = try ServerFolder(kind.rawValue)
        let port = try LoopbackPort.free()
        url = "http://127.0.0.1:\(port)"
        switch kind {
        case .squid:
            try folder.write(
                """
                http_port 127.0.0.1:\(port)
                http_access allow all
                cache deny all
                access_log none
                cache_log /dev/null
                pid_filename none
                shutdown_lifetime 0 seconds

                """, to: "configuration")
        case .tinyproxy:
            try folder.write("Port \(port)\nListen 127.0.0.1\nTimeout 60\nLogLevel Critical\n", to: "configuration")
        }
        let arguments = kind == .squid ? ["-N", "-f"] : ["-d", "-c"]
        process = try await ServerProcess(
            [program] + arguments + [folder.path("configuration")], folder: folder.path, port: port)
    }

    /// Ends it, and waits until it is gone.
    func stop() async { await process.stop() }
}
