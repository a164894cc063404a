import Foundation
import StreamsHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A transport that uses `URLSession`, for platforms without libcurl and for programs that need the system's
/// networking.
///
/// ```swift
/// let client = HTTPClient(configuration: configuration, transport: URLSessionTransport())
/// ```
///
/// The client handles redirects, retries, limits and deadlines, as with every transport. A session has these
/// limitations:
///
/// - `RequestOptions.Connection` other than the default fail the exchange, except `decodesContent`.
/// - `connectTimeout` is ignored, because a session does not report the connection. `idleTimeout` counts from the
///   start.
/// - `minimumRate` is ignored.
/// - Repeated fields of a response are joined, and the order of its fields is lost.
/// - Fields are text. A request with a field whose bytes are not UTF-8 fails, and on Linux so does a response that has one.
/// - The version of every response is HTTP/1.1.
/// - Bytes are counted after decoding. A response with encoded content has no `Content-Length`, and its progress has no
///   total.
/// - There are no metrics.
///
/// Further limitations on Linux:
///
/// - A download cannot be paused. Chunks that are not requested are buffered in memory without a limit.
/// - After an abort, a session may keep the connection to a server that continues to send.
/// - A stream body is always sent in chunks, and blocks a thread of the session while it waits for data.
/// - Swift's Foundation traps and leaks, above all when a session is released during a TLS handshake. Prefer
///   `CurlTransport`.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let delegate: SessionDelegate

    /// Creates a transport with a session of its own.
    ///
    /// - Parameter configuration: The configuration of the session. Its timeouts are ignored. The default has no cache,
    ///   no cookies and no credentials.
    public init(configuration: URLSessionConfiguration? = nil) {
        delegate = SessionDelegate()
        session = URLSession(configuration: configuration ?? .bare, delegate: delegate, delegateQueue: nil)
    }

    deinit {
        // A session keeps its delegate alive until it is invalidated. Running tasks finish.
        session.finishTasksAndInvalidate()
    }

    public func start(
        _ request: TransportRequest, delivering receiver: any TransportReceiver
    ) -> any TransportExchange {
        let exchange = SessionExchange(request, receiver: receiver)
        if let reason = request.unsupported {
            exchange.fail(reason)
            return exchange
        }
        do {
            let (task, reader) = try task(for: request)
            delegate.add(exchange, for: task)
            exchange.start(task, body: reader)
        } catch {
            exchange.fail(TransportFailure(.thrown(error, by: .body)))
        }
        return exchange
    }

    private func task(for request: TransportRequest) throws -> (URLSessionTask, BlockingBodyReader?) {
        let template = URLRequest(request)
        switch request.body.content {
        case .empty:
            return (session.dataTask(with: template), nil)
        case .data(let data), .compressed(_, _, result: let data?):
            return (session.uploadTask(with: template, from: data), nil)
        case .file(let path):
            // Opens the file once, so that the error is that of other transports.
            let source = try request.body.open(onReadable: {})
            // A session would send nothing of a file whose length is not its size.
            guard source?.length == nil else {
                return (session.uploadTask(with: template, fromFile: URL(fileURLWithPath: path)), nil)
            }
        default:
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
    /// A configuration that adds no fields to a request.
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
    fileprivate init(_ request: TransportRequest) {
        // The exchange implements the idle timeout.
        self.init(url: request.url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: Self.never)
        httpMethod = request.method.rawValue
        httpShouldHandleCookies = false
        for field in request.headers { addValue(field.value, forHTTPHeaderField: field.name) }
        if !request.offersContentCodings, !request.headers.contains("Accept-Encoding") {
            setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
    }
}

extension TransportRequest {
    /// The failure of a request that a session cannot perform; `nil` if it can.
    fileprivate var unsupported: TransportFailure? {
        let problem =
            if isUpgrade {
                "a session does not hand over its connections"
            } else if headers.contains(where: { $0.text.isLatin1 }) {
                "a session sends fields as text, and one has bytes that are not UTF-8"
            } else {
                connection.unsupported
            }
        return problem.map { TransportFailure(.invalidRequest(.unsupportedOption($0))) }
    }
}

extension RequestOptions.Connection {
    /// The problem with options that a session does not support; `nil` if it supports all.
    fileprivate var unsupported: String? {
        if protocolPolicy != .automatic {
            "a session chooses the protocol's version itself"
        } else if trustRoots != .system {
            "a session trusts the system's authorities alone"
        } else if proxy != .environment {
            "a session's configuration says what its proxy is"
        } else if clientCertificate != nil {
            "a session has no certificate to show"
        } else if minimumTLSVersion != .tls12 || !pinnedPublicKeys.isEmpty {
            "a session chooses the version of TLS itself, and pins no public keys"
        } else if !resolve.isEmpty || addressFamily != .any || allowsAddress != nil {
            "a session resolves names itself, and checks no addresses"
        } else if unixSocketPath != nil {
            "a session connects to hosts alone"
        } else {
            nil
        }
    }
}
