/// The status code of a response (RFC 9110, section 15).
///
/// A status can be matched in a `switch`:
///
/// ```swift
/// switch response.status {
/// case .notFound: ...
/// case 500..<600: ...
/// default: ...
/// }
/// ```
///
/// It is also an error, which a program's own decoder can throw: the request then fails with
/// ``HTTPError/Reason/decoding(_:_:)``. A `catch` clause matches the status of any error that has one. No request fails
/// with a bare status.
public struct HTTPStatus: Hashable, Sendable, Error {
    /// The three-digit code.
    public let code: Int

    /// Creates a status from any integer, including codes without a name.
    public init(_ code: Int) {
        self.code = code
    }

    /// Whether a response can have the code (RFC 9110, section 15).
    package var isValid: Bool { (100..<600).contains(code) }
    /// Whether the code is 1xx: another response follows.
    public var isInformational: Bool { (100..<200).contains(code) }
    /// Whether the code is 2xx: the request was received, understood and accepted.
    public var isSuccess: Bool { (200..<300).contains(code) }
    /// Whether the code is 3xx: further action is needed.
    public var isRedirection: Bool { (300..<400).contains(code) }
    /// Whether the code is 4xx: the request was wrong.
    public var isClientError: Bool { (400..<500).contains(code) }
    /// Whether the code is 5xx: the server failed.
    public var isServerError: Bool { (500..<600).contains(code) }
}

extension HTTPStatus: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int) {
        self.init(value)
    }
}

extension HTTPStatus: CustomStringConvertible, CustomDebugStringConvertible {
    /// The code, as it is sent.
    public var description: String { String(code) }
    /// The code as an uncaught error is shown: `HTTP status 404`.
    public var debugDescription: String { "HTTP status \(code)" }
}

extension HTTPStatus: LocalizedError {
    /// The sentence that Foundation's `localizedDescription` returns: `the server answered 404`.
    public var errorDescription: String? { "the server answered \(code)" }
}

/// Returns whether a range contains a status's code, for use in a `case`.
public func ~= (range: some RangeExpression<Int>, status: HTTPStatus) -> Bool {
    range.contains(status.code)
}

/// An error that may have a response.
package protocol ResponseFailure: Error {
    /// The response's status, if there is a response.
    var status: HTTPStatus? { get }
}

/// Returns whether an error has a status, for use in a `catch`. The error is a thrown status, or an ``HTTPError`` or
/// ``ServiceError`` with a response. That response may be a success whose body could not be decoded.
///
/// ```swift
/// do {
///     return try await client.value(for: GetUser(id: 7))
/// } catch HTTPStatus.notFound {
///     return nil
/// }
/// ```
public func ~= (status: HTTPStatus, error: any Error) -> Bool {
    (error as? HTTPStatus ?? (error as? any ResponseFailure)?.status) == status
}
