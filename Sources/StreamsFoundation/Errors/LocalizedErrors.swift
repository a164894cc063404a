import Foundation
import StreamsHTTP

/// What `localizedDescription` says of a failed request: which one, and why. Contains no credential.
extension HTTPError: LocalizedError {
    public var errorDescription: String? { description }
}

/// What `localizedDescription` says of a service's failed request. Contains no credential, and nothing of the content.
extension ServiceError: LocalizedError {
    public var errorDescription: String? { description }
}
