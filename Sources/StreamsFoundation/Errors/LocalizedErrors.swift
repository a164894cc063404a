import Foundation
import StreamsHTTP

/// The description names the failed request and the reason of the failure. It contains no credential.
extension HTTPError: LocalizedError {
    public var errorDescription: String? { description }
}

/// The description names the failed request and the reason of the failure. It contains no credential and no content.
extension ServiceError: LocalizedError {
    public var errorDescription: String? { description }
}
