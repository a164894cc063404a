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

    /// Makes a status from a code. Codes without a name are legal and are treated as the first of their class.
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

extension HTTPStatus {
    public static let `continue` = HTTPStatus(100)
    public static let switchingProtocols = HTTPStatus(101)
    public static let earlyHints = HTTPStatus(103)

    public static let ok = HTTPStatus(200)
    public static let created = HTTPStatus(201)
    public static let accepted = HTTPStatus(202)
    public static let nonAuthoritativeInformation = HTTPStatus(203)
    public static let noContent = HTTPStatus(204)
    public static let resetContent = HTTPStatus(205)
    public static let partialContent = HTTPStatus(206)

    public static let multipleChoices = HTTPStatus(300)
    public static let movedPermanently = HTTPStatus(301)
    public static let found = HTTPStatus(302)
    public static let seeOther = HTTPStatus(303)
    public static let notModified = HTTPStatus(304)
    public static let temporaryRedirect = HTTPStatus(307)
    public static let permanentRedirect = HTTPStatus(308)

    public static let badRequest = HTTPStatus(400)
    public static let unauthorized = HTTPStatus(401)
    public static let paymentRequired = HTTPStatus(402)
    public static let forbidden = HTTPStatus(403)
    public static let notFound = HTTPStatus(404)
    public static let methodNotAllowed = HTTPStatus(405)
    public static let notAcceptable = HTTPStatus(406)
    public static let proxyAuthenticationRequired = HTTPStatus(407)
    public static let requestTimeout = HTTPStatus(408)
    public static let conflict = HTTPStatus(409)
    public static let gone = HTTPStatus(410)
    public static let lengthRequired = HTTPStatus(411)
    public static let preconditionFailed = HTTPStatus(412)
    public static let contentTooLarge = HTTPStatus(413)
    public static let uriTooLong = HTTPStatus(414)
    public static let unsupportedMediaType = HTTPStatus(415)
    public static let rangeNotSatisfiable = HTTPStatus(416)
    public static let expectationFailed = HTTPStatus(417)
    public static let misdirectedRequest = HTTPStatus(421)
    public static let unprocessableContent = HTTPStatus(422)
    public static let tooEarly = HTTPStatus(425)
    public static let upgradeRequired = HTTPStatus(426)
    public static let preconditionRequired = HTTPStatus(428)
    public static let tooManyRequests = HTTPStatus(429)
    public static let requestHeaderFieldsTooLarge = HTTPStatus(431)

    public static let internalServerError = HTTPStatus(500)
    public static let notImplemented = HTTPStatus(501)
    public static let badGateway = HTTPStatus(502)
    public static let serviceUnavailable = HTTPStatus(503)
    public static let gatewayTimeout = HTTPStatus(504)
    public static let httpVersionNotSupported = HTTPStatus(505)
}

extension HTTPStatus: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int) {
        self.init(value)
    }
}

extension HTTPStatus: CustomStringConvertible {
    public var description: String { String(code) }
}

/// Matches a status against a range of codes in a `case`.
public func ~= (range: some RangeExpression<Int>, status: HTTPStatus) -> Bool {
    range.contains(status.code)
}
