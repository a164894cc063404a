import Foundation
import StreamsHTTP
import StreamsLoopback

/// A request of a soak, and how it may end.
struct Errand: Sendable {
    enum End: Sendable {
        /// A generated body of this size, or a beginning of it if `isBounded` is false.
        case body(size: Int, isBounded: Bool)
        /// Any failure, or a beginning of a body that peers of the fault matrix send.
        case any
        /// A failure, whose reason has this name.
        case failure(String)
    }

    let name: String
    let request: HTTPRequest
    let end: End

    /// Returns an errand to a route of the server.
    ///
    /// - Parameters:
    ///   - isSecure: Whether the request is sent over TLS, if the server has it.
    ///   - isBuffered: Whether the proxy that adds TLS collects parts of the response before it sends them.
    ///   - isCacheable: Whether the response may be stored.
    init(
        _ route: BodyRoute, isSecure: Bool, isBuffered: Bool, isCacheable: Bool = false, at addresses: HostileAddresses
    ) {
        let path = route.path + (isCacheable ? HostileServer.cacheableSuffix : "")
        name = (isSecure ? isBuffered ? "TLS, buffered " : "TLS " : "") + path
        request = addresses.request(.get, path, isSecure: isSecure, isBuffered: isBuffered)
        end = .body(size: route.size, isBounded: route.isBounded)
    }

    /// Returns an errand that meets a fault of the matrix; `nil` if it is not served.
    ///
    /// - Parameter index: The index of the fault.
    init?(fault index: Int, at addresses: HostileAddresses) {
        let fault = HostileServer.faults[index]
        guard let address = addresses.faults[index] else { return nil }
        name = fault.name
        let body = fault.row.bodySize > 0 ? HTTPBody.data(Self.bytes.prefix(fault.row.bodySize)) : .empty
        let options = address.peer.options(fault.row.setting)
        request = HTTPRequest(fault.row.method, address.url, body: body, options: options)
        end = fault.row.reason.map { .failure(String($0.prefix { $0 != "(" })) } ?? .any
    }

    /// Shared by the bodies, so that the memory shows that of exchanges.
    private static let bytes = Data(GeneratedBytes.bytes(0..<(FaultMatrix.rows.map(\.bodySize).max() ?? 0)))

    /// The bodies of the peers of the matrix that are no failure. Some of them are cut off.
    private static let bodiesOfFaults = [Data("hello".utf8), Data("done".utf8), Data(GeneratedBytes.bytes(0..<1000))]

    /// The bodies of errors that peers of the matrix send, besides generated ones. Some of them are cut off.
    private static let bodiesOfErrors = ["busy", "gone", "too large"].map { Data($0.utf8) }

    /// Returns the category of a failure.
    func outcome(_ error: HTTPError) -> String {
        guard case .failure(let expected) = end, error.reason.name != "cancelled" else { return error.reason.name }
        // Not every one is: the server may have been killed, there may be no descriptors, and two of the peers treat only
        // their first connection as listed.
        return error.reason.name == expected ? "a fault, as listed" : "a fault, otherwise: \(error.reason.name)"
    }

    /// Returns the problem of the body of an error that the matrix lists; `nil` without one.
    func problem(with error: HTTPError) -> String? {
        guard case .failure(error.reason.name) = end, let body = error.response?.body else { return nil }
        let isExpected =
            GeneratedBytes.matches(body, at: 0) || Self.bodiesOfErrors.contains { $0.starts(with: body) }
        return isExpected ? nil : "other bytes in the body of an error, of \(body.count) bytes"
    }

    /// Returns the problem of an exchange that has not failed; `nil` without one.
    ///
    /// - Parameter body: The body that was received.
    func problem(with body: Data) -> String? {
        problem(size: body.count) ?? problem(with: body, at: 0)
    }

    /// Returns the problem of the end of a body; `nil` without one.
    ///
    /// - Parameter size: The size of the body that was received.
    func problem(size: Int) -> String? {
        switch end {
        case .body(size: let expected, isBounded: true): expected == size ? nil : "\(size) bytes of \(expected)"
        case .body(size: let expected, isBounded: false):
            size <= expected ? nil : "\(size) bytes of at most \(expected)"
        case .any: nil
        case .failure(let expected): "success in place of \(expected)"
        }
    }

    /// Returns the problem of the contents of a part of a body; `nil` without one.
    ///
    /// - Parameters:
    ///   - part: The bytes that were received.
    ///   - offset: The number of bytes of the body before the part.
    func problem(with part: Data, at offset: Int) -> String? {
        switch end {
        case .body:
            if GeneratedBytes.matches(part, at: offset) { return nil }
            let first = zip(part, offset...).first { $0 != GeneratedBytes.byte(at: $1) }
            return "other bytes from \(first?.1 ?? offset) on, in a part from \(offset) to \(offset + part.count)"
        case .any:
            let isExpected = Self.bodiesOfFaults.contains { $0.dropFirst(offset).starts(with: part) }
            return isExpected ? nil : "other bytes in a part from \(offset) to \(offset + part.count)"
        // The matrix does not list the contents before a failure.
        case .failure: return nil
        }
    }
}
