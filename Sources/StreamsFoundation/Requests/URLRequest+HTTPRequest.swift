import Foundation
import StreamsHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// Makes a request for URLSession of what an ``HTTPClient`` without settings of its own would send.
    ///
    /// A body in memory is taken over, and a file becomes a stream that reads it.
    ///
    /// - Parameter request: What to send; its target must be an absolute URL.
    /// - Throws: ``HTTPError`` for what a client would refuse, and with ``HTTPError/Reason/body(_:)`` and
    ///   ``BodyNeedsTransport`` for a body of chunks or of several files: only a transport can send these.
    public init(_ request: HTTPRequest) throws(HTTPError) {
        let resolved = try request.transportRequest()
        self.init(url: resolved.url)
        httpMethod = resolved.method.rawValue
        for field in resolved.headers { addValue(field.value, forHTTPHeaderField: field.name) }
        timeoutInterval = resolved.idleTimeout.map { $0 / .seconds(1) } ?? Self.never
        do {
            try setBody(resolved.body)
        } catch {
            let summary = HTTPError.RequestSummary(method: resolved.method, url: resolved.url.absoluteString)
            throw HTTPError(.body(error), request: summary)
        }
    }

    private mutating func setBody(_ body: HTTPBody) throws {
        switch body.storage {
        case .empty: break
        case .data(let data): httpBody = data
        case .file(let path):
            // Opened as transports open it, so that it is refused as they refuse it.
            _ = try body.open(onReadable: {})
            httpBodyStream = InputStream(fileAtPath: path)
        case .other: throw BodyNeedsTransport()
        }
    }
}

/// A body that a `URLRequest` has no room for.
public struct BodyNeedsTransport: Error, CustomStringConvertible {
    public var description: String { "a body of chunks or of several files can only be sent by a transport" }
}
