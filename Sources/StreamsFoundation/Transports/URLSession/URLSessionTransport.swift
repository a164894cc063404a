import Foundation
import StreamsHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Carries exchanges with `URLSession`: for platforms without libcurl, or where a program wants the system's way of
/// reaching the network.
///
/// ```swift
/// let client = HTTPClient(configuration: configuration, transport: URLSessionTransport())
/// ```
///
/// Redirects, retries, limits and deadlines are the client's, as on any transport. What a session does not let a
/// program decide differs:
///
/// - `ConnectionOptions` other than the default fail the exchange, but for `decodesContent`.
/// - `connectTimeout` does not count: a session does not tell when it has connected. `idleTimeout` counts from the
///   start.
/// - Repeated fields of a response are joined, and the order of its fields is lost. Every response is said to have come
///   by HTTP/1.1, and bytes are counted after decoding: a response whose content was encoded comes without its
///   `Content-Length`, so that its progress has no total.
/// - No metrics are measured.
///
/// On Linux, also:
///
/// - A download cannot be paused: what is not asked for is held in memory, all of it if need be.
/// - A session may be late to leave a server that goes on sending when an exchange is aborted.
/// - A body that is a stream is always sent in chunks, and occupies a thread of the session's while it has nothing.
/// - Swift's Foundation has traps and leaks of its own there, above all when sessions are dropped in the middle of TLS.
///   `CurlTransport` is the better choice on that platform.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let delegate: SessionDelegate

    /// - Parameter configuration: The session's. Without one, it has no cache, no cookies and no credentials. Its
    ///   timeouts are not used.
    public init(configuration: URLSessionConfiguration? = nil) {
        delegate = SessionDelegate()
        session = URLSession(configuration: configuration ?? .bare, delegate: delegate, delegateQueue: nil)
    }

    deinit {
        // A session keeps its delegate until it is told that it is no longer needed. Tasks go on to their end.
        session.finishTasksAndInvalidate()
    }

    public func start(
        _ request: TransportRequest, delivering receiver: any TransportReceiver
    ) -> any TransportExchange {
        let exchange = SessionExchange(request, receiver: receiver)
        if let reason = request.connection.unsupported {
            exchange.fail(reason)
            return exchange
        }
        do {
            let (task, reader) = try task(for: request)
            delegate.add(exchange, for: task)
            exchange.start(task, body: reader)
        } catch {
            exchange.fail(TransportFailure(.body(error)))
        }
        return exchange
    }

    private func task(for request: TransportRequest) throws -> (URLSessionTask, BlockingBodyReader?) {
        let template = URLRequest(request)
        switch request.body.storage {
        case .empty:
            return (session.dataTask(with: template), nil)
        case .data(let data):
            return (session.uploadTask(with: template, from: data), nil)
        case .file(let path):
            // Opened as other transports open it, so that it is refused with the same words.
            _ = try request.body.open(onReadable: {})
            return (session.uploadTask(with: template, fromFile: URL(fileURLWithPath: path)), nil)
        case .other:
            break
        }
        guard let reader = try BlockingBodyReader(request.body) else {
            return (session.dataTask(with: template), nil)
        }
        var streamed = template
        streamed.httpBodyStream = reader.makeStream()
        return (session.dataTask(with: streamed), reader)
    }
}

extension URLSessionConfiguration {
    /// A configuration that adds nothing of its own to a request.
    fileprivate static var bare: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpMaximumConnectionsPerHost = 64
        return configuration
    }
}

extension URLRequest {
    /// So long that it never ends an exchange.
    static let never: TimeInterval = 365 * 86_400

    fileprivate init(_ request: TransportRequest) {
        // Timeouts are counted by the exchange.
        self.init(url: request.url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: Self.never)
        httpMethod = request.method.rawValue
        httpShouldHandleCookies = false
        for field in request.headers { addValue(field.value, forHTTPHeaderField: field.name) }
        if !request.connection.decodesContent, !request.headers.contains("Accept-Encoding") {
            setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
    }
}

extension ConnectionOptions {
    /// Why a session cannot make such connections; `nil` where it can.
    fileprivate var unsupported: TransportFailure? {
        let problem: String
        if protocolPolicy != .automatic {
            problem = "a session chooses the protocol's version itself"
        } else if trustRoots != .system {
            problem = "a session trusts the system's authorities alone"
        } else if proxy != .environment {
            problem = "a session's configuration says what its proxy is"
        } else if clientCertificate != nil {
            problem = "a session has no certificate to show"
        } else if unixSocketPath != nil {
            problem = "a session connects to hosts alone"
        } else {
            return nil
        }
        return TransportFailure(
            .transport, underlying: HTTPError.Underlying(domain: "URLSessionTransport", code: 0, message: problem))
    }
}
