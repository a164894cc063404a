/// A response's status code (RFC 9110, section 15).
///
/// A status is a value to match and an error to throw:
///
/// ```swift
/// switch response.status {
/// case .notFound: ...
/// case 500..<600: ...
/// default: ...
/// }
/// ```
public struct HTTPStatus: Hashable, Sendable, Error {
    /// The three-digit code.
    public let code: Int

    /// Makes a status from a code. Codes without a name are legal, and any integer is taken.
    public init(_ code: Int) {
        self.code = code
    }

    /// 1xx: more is to come.
    public var isInformational: Bool { (100..<200).contains(code) }
    /// 2xx: the request was received, understood and accepted.
    public var isSuccess: Bool { (200..<300).contains(code) }
    /// 3xx: further action is needed.
    public var isRedirection: Bool { (300..<400).contains(code) }
    /// 4xx: the request was wrong.
    public var isClientError: Bool { (400..<500).contains(code) }
    /// 5xx: the server failed.
    public var isServerError: Bool { (500..<600).contains(code) }
}

extension HTTPStatus: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int) {
        self.init(value)
    }
}

extension HTTPStatus: CustomStringConvertible {
    /// The code, as it goes on the wire.
    public var description: String { String(code) }
}

/// Matches a status against a range of codes in a `case`.
public func ~= (range: some RangeExpression<Int>, status: HTTPStatus) -> Bool {
    range.contains(status.code)
}

/// A failure that may have come with a response.
package protocol ResponseFailure: Error {
    /// The response's status, where there is a response.
    var status: HTTPStatus? { get }
}

/// Matches an error against a status in a `catch`: a status that was thrown, or an ``HTTPError`` or ``ServiceError``
/// with a response that has it. That response may be no error itself, where its body could not be decoded.
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
