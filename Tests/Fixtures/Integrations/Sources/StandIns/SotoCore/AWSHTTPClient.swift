import Foundation
import Logging
import NIOCore
import NIOHTTP1

/// An HTTP client that sends the requests of Soto.
public protocol AWSHTTPClient: Sendable {
    func execute(request: AWSHTTPRequest, timeout: TimeAmount, logger: Logger) async throws -> AWSHTTPResponse
    func shutdown() async throws
}

extension AWSHTTPClient {
    public func shutdown() async throws {}
}

/// A signed request.
public struct AWSHTTPRequest: Sendable {
    public var url: URL
    public let method: HTTPMethod
    public var headers: HTTPHeaders
    public var body: AWSHTTPBody

    public init(url: URL, method: HTTPMethod, headers: HTTPHeaders, body: AWSHTTPBody) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
    }
}

/// A response with any status.
public struct AWSHTTPResponse: Sendable {
    public let status: HTTPResponseStatus
    public var headers: HTTPHeaders
    public var body: AWSHTTPBody

    public init(status: HTTPResponseStatus, headers: HTTPHeaders, body: AWSHTTPBody = .init()) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// The client of all services, as far as the adapter throws its errors.
public enum AWSClient {
    public struct ClientError: Error, Equatable {
        public static let bodyLengthMismatch = ClientError()
    }
}
