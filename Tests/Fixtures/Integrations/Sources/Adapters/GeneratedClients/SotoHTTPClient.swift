// Soto (soto-core): an HTTP client for AWSClient, which streams the bodies of requests and responses.
import Logging
import NIOCore
import NIOHTTP1
import SotoCore
import StreamsHTTP

/// An HTTP client of Soto that sends requests through an `HTTPClient`. Soto's timeout is the request's idle timeout.
public struct SotoHTTPClient: AWSHTTPClient {
    private let client: StreamsHTTP.HTTPClient

    /// Creates an HTTP client of Soto.
    public init(_ client: StreamsHTTP.HTTPClient) { self.client = client }

    public func execute(
        request: AWSHTTPRequest, timeout: TimeAmount, logger: Logger
    ) async throws -> AWSHTTPResponse {
        var headers = StreamsHTTP.HTTPHeaders(request.headers.map { .init(name: $0.name, value: $0.value) })
        // The client sets this field itself, and refuses requests that have it.
        headers.remove("Content-Length")
        let sent = StreamsHTTP.HTTPRequest(
            StreamsHTTP.HTTPMethod(rawValue: request.method.rawValue), request.url, headers: headers,
            body: try await content(of: request.body)
        ).settingOptions {
            $0.timeouts.idle = .nanoseconds(timeout.nanoseconds)
            // An object may have been stored with a coding, and checksums are those of the bytes as sent.
            $0.connection.decodesContent = false
            $0.validation = .acceptAll
        }
        do throws(HTTPError) {
            let response = try await client.streamedResponse(for: sent)
            return AWSHTTPResponse(
                status: HTTPResponseStatus(statusCode: response.status.code, reasonPhrase: response.reasonPhrase),
                headers: NIOHTTP1.HTTPHeaders(response.headers.map { ($0.name, $0.value) }),
                body: AWSHTTPBody(asyncSequence: response.body, length: nil))
        } catch {
            guard case .thrown(HTTPBody.Failure.lengthMismatch, by: .body) = error.reason else { throw error }
            throw AWSClient.ClientError.bodyLengthMismatch
        }
    }

    /// Returns a body, which can be sent again unless it is a stream.
    private func content(of body: AWSHTTPBody) async throws -> HTTPBody {
        guard !body.isEmpty else { return .empty }
        guard body.isStreaming else {
            return .data(Data(try await body.collect(upTo: .max).readableBytesView), contentType: nil)
        }
        let chunks = body.map { Data($0.readableBytesView) }
        return .stream(length: body.length.map(Int64.init), contentType: nil, chunks.publisher)
    }
}
