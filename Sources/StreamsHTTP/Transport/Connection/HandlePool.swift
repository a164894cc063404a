#if canImport(CLibcurl)
import CLibcurl

/// A pool of easy handles. To create one costs more than a small request.
///
/// A handle opens connections one after another, all with the same key, so that no option of another one is left in it.
/// Only the engine's thread uses the pool.
final class HandlePool {
    private static let capacity = 256

    private let configuration: CurlTransport.Configuration
    @exclusivity(unchecked) private var share: CurlShare?
    @exclusivity(unchecked) private var handles: [CurlHandle] = []

    init(_ configuration: CurlTransport.Configuration) {
        self.configuration = configuration
    }

    /// Takes a handle out of the pool, or creates one.
    func take(for key: HandleKey) throws(TransportFailure) -> CurlHandle {
        if let index = handles.lastIndex(where: { $0.key == key }) { return handles.remove(at: index) }
        try key.connection.check(proxy: key.proxyURL)
        return try CurlHandle(key, runningShare(), configuration)
    }

    private func runningShare() throws(TransportFailure) -> CurlShare {
        if let share { return share }
        let created = try CurlShare()
        share = created
        return created
    }

    /// Puts a handle into the pool that has opened a connection.
    func put(_ handle: CurlHandle) {
        if handles.count == Self.capacity { handles.removeFirst() }
        handles.append(handle)
    }

    /// Releases all handles, and what they share.
    func removeAll() {
        handles = []
        share = nil
    }
}

/// The names and the sessions of TLS that the handles of a transport share, although they are in several multi handles.
///
/// Only the engine's thread uses it, so libcurl needs no locks.
final class CurlShare {
    let pointer: OpaquePointer

    init() throws(TransportFailure) {
        guard let pointer = curl_share_init() else { throw TransportFailure(system: ENOMEM) }
        self.pointer = pointer
        for data in [CurlShareNames, CurlShareTLSSessions] { streams_curl_share(pointer, data) }
    }

    deinit {
        curl_share_cleanup(pointer)
    }
}

/// The options of a request that are set once for an easy handle. Connections with equal keys can be opened by one handle.
struct HandleKey: Hashable {
    let connection: RequestOptions.Connection
    let isSecure: Bool
    /// Whether HTTP/2 is offered besides HTTP/1.1.
    let offersHTTP2: Bool
    /// The URL of the proxy; `nil` without a proxy.
    let proxyURL: String?
    /// Whether the proxy is asked for a tunnel, also for what is not encrypted.
    let opensTunnel: Bool

    /// - Parameter offersHTTP2: Whether HTTP/2 is offered, if the URL is one of https and libcurl's TLS library allows it.
    init(_ request: TransportRequest, _ route: Route, offersHTTP2: Bool = false) {
        connection = request.connection
        isSecure = request.isSecure
        self.offersHTTP2 = offersHTTP2 && request.isSecure && CurlTransport.Runtime.current.features.contains(.http2)
        proxyURL = route.proxyURL
        opensTunnel = route.proxyURL != nil && route.targetForm == .origin
    }

    /// Whether the connection to the proxy itself is encrypted.
    var hasTLSProxy: Bool { proxyURL.flatMap { try? ProxyURL($0) }?.isEncrypted ?? false }
}

extension RequestOptions.Connection {
    /// Throws an error for an option that libcurl would ignore, cut or report as another failure.
    ///
    /// - Parameter proxy: The URL of the proxy, of the options or the environment; `nil` for none.
    fileprivate func check(proxy: String?) throws(TransportFailure) {
        if let problem = problem(ofProxy: proxy) ?? problemOfFiles ?? problemOfUnixSocket {
            throw TransportFailure(.invalidRequest(.connectionOption(problem)))
        }
    }

    private var problemOfUnixSocket: String? {
        guard let path = unixSocketPath else { return nil }
        if path.isEmpty { return "the path of the unix-domain socket is empty" }
        if path.utf8.contains(0) { return "the path of the unix-domain socket has a NUL" }
        // The system's structure has room for the path and a NUL.
        let limit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
        return path.utf8.count > limit ? "the path of the unix-domain socket has more than \(limit) bytes" : nil
    }

    private var problemOfFiles: String? {
        var texts: [(name: String, text: String?)] = [
            ("the path of the client certificate", clientCertificate?.certificatePath),
            ("the path of the client certificate's key", clientCertificate?.keyPath),
            ("the password of the client certificate's key", clientCertificate?.password),
        ]
        if case .file(let path) = trustRoots { texts.append(("the path of the trust roots", path)) }
        return texts.first { $0.text?.utf8.contains(0) ?? false }.map { "\($0.name) has a NUL" }
    }

    private func problem(ofProxy url: String?) -> String? {
        do throws(ProxyURL.Problem) {
            if let url { _ = try ProxyURL(url) }
        } catch {
            return error.description
        }
        guard case .url(_, let exceptions) = proxy, exceptions.contains(where: { !$0.isFieldValue }) else { return nil }
        return "a host that is excepted from the proxy has a control character"
    }
}
#endif
