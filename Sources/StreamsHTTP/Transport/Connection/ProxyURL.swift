#if canImport(CLibcurl)
import CLibcurl

/// The URL of a proxy, as libcurl's own parser reads it.
struct ProxyURL {
    /// The reason for which libcurl cannot use a URL, without credentials.
    struct Problem: Error {
        let description: String
    }

    private static let schemes: Set<String> = ["http", "https", "socks", "socks4", "socks4a", "socks5", "socks5h"]

    /// The scheme in lowercase.
    let scheme: String
    /// The user and the password, percent-decoded; `nil` without user information.
    private let credentials: (user: [UInt8], password: [UInt8])?

    /// Reads a URL.
    ///
    /// libcurl does not use a proxy whose user information it cannot decode, and connects to the server itself.
    init(_ text: String) throws(Problem) {
        guard !text.isEmpty else { throw Problem(description: "the URL of the proxy is empty") }
        // libcurl reads the text only to a NUL.
        guard text.isFieldValue, let url = curl_url() else {
            throw Problem(description: "the URL of the proxy has a control character")
        }
        defer { curl_url_cleanup(url) }
        let flags = CurlURLAnyScheme.rawValue | CurlURLGuessScheme.rawValue
        guard text.withCString({ curl_url_set(url, CurlURLWhole, $0, flags) }) == 0,
            let host = Self.component(CurlURLHost, of: url).bytes, !host.isEmpty,
            let scheme = Self.component(CurlURLScheme, of: url).bytes
        else { throw Problem(description: "the URL of the proxy is malformed") }
        self.scheme = String(decoding: scheme, as: UTF8.self).lowercased()
        guard Self.schemes.contains(self.scheme) else {
            throw Problem(description: "no proxy has the scheme \(self.scheme.printable)")
        }
        guard host.allSatisfy({ 0x20 < $0 && $0 < 0x7F }) else {
            throw Problem(description: "the host of the proxy has a character outside of ASCII")
        }
        let user = Self.component(CurlURLUser, of: url)
        let password = Self.component(CurlURLPassword, of: url)
        guard user.bytes != nil || user.code == CurlURLNoUser.rawValue,
            password.bytes != nil || password.code == CurlURLNoPassword.rawValue
        else {
            throw Problem(description: "the user information of the proxy has an encoded control character")
        }
        let hasCredentials = user.bytes != nil || password.bytes != nil
        credentials = hasCredentials ? (user.bytes ?? [], password.bytes ?? []) : nil
    }

    /// Whether the proxy speaks HTTP, so that it can be sent requests without a tunnel.
    var speaksHTTP: Bool { isEncrypted || scheme == "http" }

    /// Whether the connection to the proxy is encrypted.
    var isEncrypted: Bool { scheme == "https" }

    /// The `Proxy-Authorization` that the user information stands for (RFC 7617); `nil` without any.
    var authorization: String? {
        credentials.map { URLAuthority.basicAuthorization(user: $0.user, password: $0.password) }
    }

    /// Returns a component of a URL, percent-decoded; `nil` and libcurl's code if it is missing or cannot be decoded.
    private static func component(_ part: CurlURLPart, of url: OpaquePointer) -> (bytes: [UInt8]?, code: UInt32) {
        var text: UnsafeMutablePointer<CChar>?
        let code = curl_url_get(url, part, &text, CurlURLDecode.rawValue)
        defer { curl_free(text) }
        guard code == 0, let text else { return (nil, UInt32(bitPattern: code)) }
        return (Array(UnsafeRawBufferPointer(start: text, count: strlen(text))), 0)
    }
}
#endif
