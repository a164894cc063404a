import Foundation
import StreamsHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// A timeout that never ends an exchange.
    static let never: TimeInterval = 365 * 86_400

    /// Creates the request that an ``HTTPClient`` with default settings would send.
    ///
    /// A body in memory becomes `httpBody`, and a file becomes `httpBodyStream`.
    ///
    /// - Parameter request: The request to convert. Its target must be an absolute URL.
    /// - Throws: ``HTTPError`` if a client would refuse the request. The reason is ``HTTPError/Reason/thrown(_:by:)``
    ///   with ``BodyNeedsTransport`` for a body of chunks or of several files, which only a transport can send.
    public init(_ request: HTTPRequest) throws(HTTPError) {
        let resolved = try request.transportRequest()
        self.init(url: resolved.url)
        httpMethod = resolved.method.rawValue
        for field in resolved.headers { addValue(field.value, forHTTPHeaderField: field.name) }
        timeoutInterval = resolved.idleTimeout.map { $0 / .seconds(1) } ?? Self.never
        do {
            try setBody(resolved.body)
        } catch {
            let summary = HTTPError.RequestSummary(
                method: resolved.method, url: Redaction.usual.redacting(resolved.url))
            throw HTTPError(.thrown(error, by: .body), request: summary)
        }
    }

    private mutating func setBody(_ body: HTTPBody) throws {
        switch body.content {
        case .empty: break
        case .data(let data), .compressed(_, _, result: let data?): httpBody = data
        case .file(let path):
            // Opens the file once, so that the error is that of a transport.
            _ = try body.open(onReadable: {})
            httpBodyStream = InputStream(fileAtPath: path)
        default: throw BodyNeedsTransport()
        }
    }
}

/// An error for a body that a `URLRequest` cannot contain.
public struct BodyNeedsTransport: Error, CustomStringConvertible {
    public var description: String { "a body of chunks or of several files can only be sent by a transport" }
}
