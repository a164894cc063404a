// The names of IANA's registry of status codes, and of codes that are out of it but in use.

extension HTTPStatus {
    public static let `continue` = HTTPStatus(100)
    public static let switchingProtocols = HTTPStatus(101)
    public static let processing = HTTPStatus(102)
    public static let earlyHints = HTTPStatus(103)

    public static let ok = HTTPStatus(200)
    public static let created = HTTPStatus(201)
    public static let accepted = HTTPStatus(202)
    public static let nonAuthoritativeInformation = HTTPStatus(203)
    public static let noContent = HTTPStatus(204)
    public static let resetContent = HTTPStatus(205)
    public static let partialContent = HTTPStatus(206)
    public static let multiStatus = HTTPStatus(207)
    public static let alreadyReported = HTTPStatus(208)
    public static let imUsed = HTTPStatus(226)

    public static let multipleChoices = HTTPStatus(300)
    public static let movedPermanently = HTTPStatus(301)
    public static let found = HTTPStatus(302)
    public static let seeOther = HTTPStatus(303)
    public static let notModified = HTTPStatus(304)
    /// Deprecated (RFC 9110, section 15.4.6).
    public static let useProxy = HTTPStatus(305)
    /// No longer used (RFC 9110, section 15.4.7).
    public static let switchProxy = HTTPStatus(306)
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
    /// Reserved (RFC 9110, section 15.5.19), and in use nonetheless (RFC 2324).
    public static let imATeapot = HTTPStatus(418)
    public static let misdirectedRequest = HTTPStatus(421)
    public static let unprocessableContent = HTTPStatus(422)
    public static let locked = HTTPStatus(423)
    public static let failedDependency = HTTPStatus(424)
    public static let tooEarly = HTTPStatus(425)
    public static let upgradeRequired = HTTPStatus(426)
    public static let preconditionRequired = HTTPStatus(428)
    public static let tooManyRequests = HTTPStatus(429)
    public static let requestHeaderFieldsTooLarge = HTTPStatus(431)
    public static let unavailableForLegalReasons = HTTPStatus(451)

    public static let internalServerError = HTTPStatus(500)
    public static let notImplemented = HTTPStatus(501)
    public static let badGateway = HTTPStatus(502)
    public static let serviceUnavailable = HTTPStatus(503)
    public static let gatewayTimeout = HTTPStatus(504)
    public static let httpVersionNotSupported = HTTPStatus(505)
    public static let variantAlsoNegotiates = HTTPStatus(506)
    public static let insufficientStorage = HTTPStatus(507)
    public static let loopDetected = HTTPStatus(508)
    /// Of an experiment that is over (RFC 2774).
    public static let notExtended = HTTPStatus(510)
    public static let networkAuthenticationRequired = HTTPStatus(511)
}

/// What nginx writes into its logs where it answered nothing, or nothing that has a code of its own.
extension HTTPStatus {
    public static let noResponse = HTTPStatus(444)
    public static let sslCertificateError = HTTPStatus(495)
    public static let sslCertificateRequired = HTTPStatus(496)
    public static let httpRequestSentToHTTPSPort = HTTPStatus(497)
    public static let clientClosedRequest = HTTPStatus(499)
}
