import Foundation

/// An authority and certificates for `localhost` that it vouches for, made by openssl.
struct Certificates {
    /// The authority's certificate.
    let authority: String

    /// Makes `ca.pem`, `server.pem`, `client.pem` and `expired.pem` with their `.key` files in a folder.
    init(in folder: ServerFolder) throws {
        authority = folder.path("ca.pem")
        try folder.write(Self.settings, to: "openssl.cnf")
        try folder.write("", to: "index.txt")
        try Program.openssl.run(
            ["req", "-x509", "-subj", "/CN=Streams Test CA", "-days", "2", "-extensions", "authority"]
                + Self.newKey("ca"), in: folder)
        try Self.sign("server", from: Self.date(days: -1), to: Self.date(days: 2), in: folder)
        try Self.sign("client", as: "client", from: Self.date(days: -1), to: Self.date(days: 2), in: folder)
        try Self.sign("expired", from: Self.date(days: -3), to: Self.date(days: -1), in: folder)
    }

    /// The SHA-256 digest of a certificate's public key in Base64.
    ///
    /// - Parameter path: The path of the certificate.
    static func publicKeyPin(of path: String) throws -> String {
        let key = try Program.openssl.output(
            of: ["x509", "-pubkey", "-noout"], input: Data(contentsOf: URL(filePath: path)))
        let encoded = try Program.openssl.output(of: ["pkey", "-pubin", "-outform", "der"], input: key)
        return try Program.openssl.output(of: ["dgst", "-sha256", "-binary"], input: encoded).base64EncodedString()
    }

    private static let settings = """
        [req]
        distinguished_name = name
        prompt = no
        [name]
        CN = localhost
        [authority]
        basicConstraints = critical, CA:true
        keyUsage = critical, keyCertSign, cRLSign
        subjectKeyIdentifier = hash
        [server]
        basicConstraints = CA:false
        subjectAltName = DNS:localhost
        subjectKeyIdentifier = hash
        authorityKeyIdentifier = keyid
        extendedKeyUsage = serverAuth
        [client]
        basicConstraints = CA:false
        extendedKeyUsage = clientAuth
        [ca]
        default_ca = ca_default
        [ca_default]
        database = index.txt
        new_certs_dir = .
        rand_serial = yes
        default_md = sha256
        policy = policy
        unique_subject = no
        [policy]
        CN = supplied
        """

    private static func newKey(_ name: String) -> [String] {
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "\(name).key"]
        return ["-config", "openssl.cnf", "-out", "\(name).pem"] + key
    }

    private static func sign(
        _ name: String, as role: String = "server", from start: String, to end: String, in folder: ServerFolder
    ) throws {
        try Program.openssl.run(["req", "-new"] + newKey(name), in: folder)
        let validity = ["-startdate", start, "-enddate", end]
        let authority = ["-cert", "ca.pem", "-keyfile", "ca.key", "-extensions", role]
        let files = ["-config", "openssl.cnf", "-in", "\(name).pem", "-out", "\(name).signed", "-notext", "-batch"]
        try Program.openssl.run(["ca"] + files + authority + validity, in: folder)
        try FileManager.default.removeItem(atPath: folder.path("\(name).pem"))
        try FileManager.default.moveItem(atPath: folder.path("\(name).signed"), toPath: folder.path("\(name).pem"))
    }

    /// A day so many days from now, as certificates write it.
    private static func date(days: Int) -> String {
        var time = time(nil) + days * 86_400
        var parts = tm()
        gmtime_r(&time, &parts)
        let numbers = [parts.tm_year % 100, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec]
        return numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined() + "Z"
    }
}
