import Foundation
import Smithy

/// An HTTP client that sends the requests of generated clients.
public protocol HTTPClient: Sendable {
    func send(request: HTTPRequest) async throws -> HTTPResponse
}

/// A signed request.
public struct HTTPRequest: Sendable {
    public let method: HTTPMethodType
    public let destination: URI
    public let headers: Headers
    public let body: ByteStream

    public init(method: HTTPMethodType, uri: URI, headers: Headers, body: ByteStream = .noStream) {
        self.method = method
        destination = uri
        self.headers = headers
        self.body = body
    }
}

/// A response with any status.
public struct HTTPResponse: Sendable {
    public let headers: Headers
    public let statusCode: HTTPStatusCode
    public let body: ByteStream

    public init(headers: Headers = .init(), statusCode: HTTPStatusCode, body: ByteStream = .noStream) {
        self.headers = headers
        self.statusCode = statusCode
        self.body = body
    }
}

/// Header fields. Each has a list of values.
public struct Headers: Sendable {
    public private(set) var headers: [Header] = []

    public init() {}

    public mutating func add(name: String, value: String) {
        headers.append(Header(name: name, value: [value]))
    }

    public func value(for name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value.joined(separator: ",")
    }
}

/// A header field.
public struct Header: Sendable {
    public var name: String
    public var value: [String]
}

/// A method.
public enum HTTPMethodType: String, Sendable {
    case get = "GET"
    case put = "PUT"
}

/// A status.
public enum HTTPStatusCode: Int, Sendable {
    case ok = 200
    case noContent = 204
    case badRequest = 400
    case badGateway = 502
    case serviceUnavailable = 503
}
