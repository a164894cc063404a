import Foundation
import StreamsHTTP

/// nginx with files to serve, over clear text and TLS.
struct Nginx: Sendable {
    /// One for all tests that do not stop it.
    static let shared = Task { try await Nginx() }
    /// One for all tests that need `/large`, which takes time to write.
    static let withLargeFile = Task { try await Nginx(hasLargeFile: true) }

    /// The size of `/large`, which is generated.
    static let largeCount = 256 << 20
    /// The content of `/text`, and of `/text` below `/gzip` and `/packed` after decoding.
    static let text = Data((0..<40_000).map { "All streams flow into the sea, \($0).\n" }.joined().utf8)

    let port: UInt16
    private let securePort: UInt16
    private let expiredPort: UInt16
    private let mutualPort: UInt16
    private let outdatedPort: UInt16
    private let cappedPort: UInt16
    private let folder: ServerFolder
    private let certificates: Certificates
    private let process: ServerProcess

    /// Starts it.
    ///
    /// - Parameters:
    ///   - port: The port for clear text; any by default.
    ///   - hasLargeFile: Whether it serves `/large`.
    init(port: UInt16? = nil, hasLargeFile: Bool = false) async throws {
        let program = try Program.nginx.installed()
        folder = try ServerFolder("nginx")
        self.port = try port ?? LoopbackPort.free()
        securePort = try LoopbackPort.free()
        expiredPort = try LoopbackPort.free()
        mutualPort = try LoopbackPort.free()
        outdatedPort = try LoopbackPort.free()
        cappedPort = try LoopbackPort.free()
        certificates = try Certificates(in: folder)
        try folder.makeFolder("files/put")
        try folder.makeFolder("files/gzip")
        try folder.makeFolder("files/packed")
        if hasLargeFile { try folder.writeGenerated(0..<Self.largeCount, to: "files/large") }
        for name in ["text", "gzip/text", "packed/text"] { try folder.write(Self.text, to: "files/\(name)") }
        try Program.gzip.run(["-9", "-k", "files/packed/text"], in: folder)
        try folder.write(
            Self.configuration(
                port: self.port, securePort: securePort, expiredPort: expiredPort, mutualPort: mutualPort,
                outdatedPort: outdatedPort, cappedPort: cappedPort),
            to: "nginx.conf")
        // It listens on its ports in the order of its configuration.
        process = try await ServerProcess(
            [program, "-p", folder.path, "-e", "stderr", "-c", folder.path("nginx.conf")], folder: folder.path,
            port: cappedPort)
    }

    /// Ends it, and waits until it is gone.
    func stop() async { await process.stop() }

    /// Reads its configuration anew: new workers take over, and those before serve the connections that they have.
    func reload() throws {
        let text = try String(contentsOfFile: folder.path("nginx.pid"), encoding: .utf8)
        guard let master = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)), kill(master, SIGHUP) == 0
        else { throw ServerFailure(log: "nginx has no process \(text)") }
    }

    /// The certificate of the authority that vouches for it.
    var authority: String { certificates.authority }

    /// The length of `/packed/text` on the wire.
    var packedLength: Int64 {
        get throws {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("files/packed/text.gz"))
            return attributes[.size] as? Int64 ?? Int64(attributes[.size] as? Int ?? -1)
        }
    }

    /// Returns the path of a file that was put.
    func stored(_ name: String) -> String { folder.path("files/put/\(name)") }

    /// A URL in clear text.
    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// A URL of the server whose certificate is good for the host `localhost`.
    func secureURL(_ path: String, host: String = "localhost") -> String { "https://\(host):\(securePort)\(path)" }

    /// A URL of the server whose certificate has expired.
    var expiredURL: String { "https://localhost:\(expiredPort)/" }

    /// A URL of the server that lets in those alone who show a certificate of the authority's.
    var mutualURL: String { "https://localhost:\(mutualPort)/" }

    /// A URL of a server that has TLS 1.1 alone.
    var outdatedURL: String { "https://localhost:\(outdatedPort)/" }

    /// A URL of a server that has TLS 1.2 alone.
    var cappedURL: String { "https://localhost:\(cappedPort)/" }

    /// The digest of the public key of the server whose certificate is good.
    var publicKeyPin: String {
        get throws { try Certificates.publicKeyPin(of: folder.path("server.pem")) }
    }

    /// A certificate of the authority's.
    var clientCertificate: RequestOptions.Connection.ClientCertificate {
        RequestOptions.Connection.ClientCertificate(
            certificatePath: folder.path("client.pem"), keyPath: folder.path("client.key"))
    }

    private static func configuration(
        port: UInt16, securePort: UInt16, expiredPort: UInt16, mutualPort: UInt16, outdatedPort: UInt16,
        cappedPort: UInt16
    ) -> String {
        // Its workers would be another user's when it is started by the administrator, and find no file.
        let user = geteuid() == 0 ? "user root;" : ""
        return """
            daemon off;
            worker_processes 1;
            pid nginx.pid;
            \(user)
            events { worker_connections 1024; }
            http {
                access_log off;
                default_type application/octet-stream;
                sendfile on;
                client_body_temp_path body;
                proxy_temp_path proxy;
                fastcgi_temp_path fastcgi;
                uwsgi_temp_path uwsgi;
                scgi_temp_path scgi;
                client_max_body_size 0;
                ssl_certificate_key server.key;
                ssl_certificate server.pem;
                add_header X-Connection $connection always;
                add_header X-Worker $pid always;
                server {
                    listen 127.0.0.1:\(port);
                    listen 127.0.0.1:\(securePort) ssl http2;
                    root files;
                    location /gzip/ { gzip on; gzip_types *; gzip_http_version 1.0; }
                    location /packed/ { gzip_static on; }
                    location /put/ { dav_methods PUT; }
                    location /capped/ {
                        client_max_body_size 1k;
                        error_page 413 /refused;
                    }
                    location = /refused {
                        internal;
                        return 413 "too large";
                    }
                    location /proxy/ {
                        proxy_pass http://127.0.0.1:$arg_port;
                        proxy_http_version 1.1;
                        proxy_set_header Connection "";
                    }
                    location /unbuffered/ {
                        rewrite ^/unbuffered(/.*)$ $1 break;
                        proxy_pass http://127.0.0.1:$arg_port;
                        proxy_http_version 1.1;
                        proxy_set_header Connection "";
                        proxy_buffering off;
                    }
                }
                server {
                    listen 127.0.0.1:\(expiredPort) ssl;
                    ssl_protocols TLSv1.2 TLSv1.3;
                    ssl_certificate_key expired.key;
                    ssl_certificate expired.pem;
                    return 204;
                }
                server {
                    listen 127.0.0.1:\(mutualPort) ssl;
                    ssl_client_certificate ca.pem;
                    ssl_verify_client on;
                    return 200 $ssl_client_s_dn;
                }
                server {
                    listen 127.0.0.1:\(outdatedPort) ssl;
                    ssl_protocols TLSv1.1;
                    ssl_ciphers DEFAULT:@SECLEVEL=0;
                    return 204;
                }
                server {
                    listen 127.0.0.1:\(cappedPort) ssl;
                    ssl_protocols TLSv1.2;
                    return 204;
                }
            }
            """
    }
}
