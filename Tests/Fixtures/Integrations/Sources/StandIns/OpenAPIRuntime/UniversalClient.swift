import Foundation
import HTTPTypes

/// A type that sends the requests of generated clients.
public protocol ClientTransport: Sendable {
    func send(
        _ request: HTTPTypes.HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String
    ) async throws -> (HTTPTypes.HTTPResponse, HTTPBody?)
}

/// The error of an operation.
public struct ClientError: Error {
    public var operationID: String
    public var underlyingError: any Error
}

/// The part of a client that is the same for all generated clients, without converters and middlewares.
@_spi(Generated)
public struct UniversalClient: Sendable {
    public let serverURL: URL
    public var transport: any ClientTransport

    public init(serverURL: URL, transport: any ClientTransport) {
        self.serverURL = serverURL
        self.transport = transport
    }

    public func send<Input: Sendable, Output: Sendable>(
        input: Input, forOperation operationID: String,
        serializer: @Sendable (Input) throws -> (HTTPTypes.HTTPRequest, HTTPBody?),
        deserializer: @Sendable (HTTPTypes.HTTPResponse, HTTPBody?) async throws -> Output
    ) async throws -> Output {
        do {
            let (request, body) = try serializer(input)
            let (response, responseBody) = try await transport.send(
                request, body: body, baseURL: serverURL, operationID: operationID)
            return try await deserializer(response, responseBody)
        } catch {
            throw ClientError(operationID: operationID, underlyingError: error)
        }
    }
}
