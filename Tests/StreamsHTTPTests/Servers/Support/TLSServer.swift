import Foundation

/// `openssl s_server`, which serves one connection at a time and selects protocols by ALPN.
struct TLSServer: Sendable {
    let url: String
    /// The certificate of the authority that signed the server's.
    let authority: String
    private let process: ServerProcess

    /// - Parameter protocols: The protocols that the server selects from, such as `h2,http/1.1`; `nil` for no selection.
    init(selectingFrom protocols: String?) async throws {
        let program = try Program.openssl.installed()
        let folder = try ServerFolder("s_server")
        let port = try LoopbackPort.free()
        authority = try Certificates(in: folder).authority
        url = "https://localhost:\(port)/"
        let selection = protocols.map { ["-alpn", $0] } ?? []
        process = try await ServerProcess(
            [program, "s_server", "-accept", "127.0.0.1:\(port)", "-cert", "server.pem", "-key", "server.key", "-www"]
                + selection, folder: folder.path, port: port)
    }

    /// Ends it, and waits until it is gone.
    func stop() async { await process.stop() }
}

/// A proxy whose clients connect by TLS, in front of a ``TunnelProxy``.
struct TLSProxy: Sendable {
    let url: String
    /// The certificate of the authority that signed the proxy's.
    let authority: String
    private let folder: ServerFolder
    private let process: ServerProcess

    /// - Parameter proxy: The proxy that opens the tunnels.
    init(inFrontOf proxy: TunnelProxy) async throws {
        let program = try Program.python3.installed()
        folder = try ServerFolder("tls-proxy")
        let port = try LoopbackPort.free()
        authority = try Certificates(in: folder).authority
        url = "https://localhost:\(port)"
        try folder.write(Self.script, to: "proxy.py")
        try folder.write("", to: "selected")
        process = try await ServerProcess(
            [program, "proxy.py", "\(port)", "\(proxy.port)"], folder: folder.path, port: port)
    }

    /// The protocols that have been selected in the handshakes with clients: `None` if the client offers none.
    var selectedProtocols: [String] {
        get throws {
            try String(contentsOfFile: folder.path("selected"), encoding: .utf8).split(separator: "\n").map(String.init)
        }
    }

    /// Ends it, and waits until it is gone.
    func stop() async { await process.stop() }

    private static let script = """
        import socket, ssl, sys, threading

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain("server.pem", "server.key")
        context.set_alpn_protocols(["h2", "http/1.1"])

        def copy(source, target):
            try:
                while data := source.recv(65536):
                    target.sendall(data)
            except OSError:
                pass
            for end in source, target:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

        def serve(connection):
            try:
                client = context.wrap_socket(connection, server_side=True)
            except OSError:
                return
            with open("selected", "a") as file:
                print(client.selected_alpn_protocol(), file=file)
            proxy = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
            threading.Thread(target=copy, args=(proxy, client), daemon=True).start()
            copy(client, proxy)

        with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as listener:
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

        """
}
