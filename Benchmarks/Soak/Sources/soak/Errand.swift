import Foundation
import StreamsHTTP

/// A request of a soak, and how it may end.
struct Errand: Sendable {
    enum End: Sendable {
        /// A generated body of this size; of any size if that is `nil`.
        case body(size: Int?)
        /// Any end.
        case any
        /// A failure, whose reason has this name.
        case failure(String)
    }

    let name: String
    let request: HTTPRequest
    let end: End

    /// Returns an errand to a route of the server.
    init(_ route: HostileServer.Route, isSecure: Bool, at addresses: HostileAddresses) {
        name = (isSecure ? "TLS " : "") + route.path
        request = addresses.request(.get, route.path, isSecure: isSecure)
        end = .body(size: route.isBounded ? route.size : nil)
    }

    /// Returns an errand that meets a fault of the matrix; `nil` if it is not served.
    ///
    /// - Parameter index: The index of the fault.
    init?(fault index: Int, at addresses: HostileAddresses) {
        let fault = HostileServer.faults[index]
        guard let address = addresses.faults[index] else { return nil }
        name = fault.name
        let body = fault.row.bodySize > 0 ? HTTPBody.data(Self.zeros.prefix(fault.row.bodySize)) : .empty
        let options = address.peer.options(fault.row.setting)
        request = HTTPRequest(fault.row.method, address.url, body: body, options: options)
        end = fault.row.reason.map { .failure(String($0.prefix { $0 != "(" })) } ?? .any
    }

    /// Shared by the bodies, so that the memory shows that of exchanges.
    private static let zeros = Data(count: FaultMatrix.rows.map(\.bodySize).max() ?? 0)

    /// What a failure counts as.
    func outcome(_ error: HTTPError) -> String {
        guard case .failure(let expected) = end, error.reason.name != "cancelled" else { return error.reason.name }
        // Not every one is: the server may have been killed, there may be no descriptors, and two of the peers treat only
        // their first connection as listed.
        return error.reason.name == expected ? "a fault, as listed" : "a fault, otherwise: \(error.reason.name)"
    }

    /// Returns what is wrong with an exchange that has not failed; `nil` if nothing is.
    ///
    /// - Parameter size: The size of the body that was received.
    func problem(size: Int) -> String? {
        switch end {
        case .body(let expected?): expected == size ? nil : "\(size) bytes of \(expected)"
        case .body(nil), .any: nil
        case .failure(let expected): "success in place of \(expected)"
        }
    }
}
