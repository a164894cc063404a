import StreamsHTTP
import Testing

@Suite struct HTTPStatusTests {
    private func name(_ status: HTTPStatus) -> String {
        switch status {
        case .ok, .created: "fine"
        case .notFound: "missing"
        case .clientClosedRequest: "gone"
        case 400..<500: "mine"
        case 500...: "theirs"
        default: "else"
        }
    }

    @Test func statusesAreMatchedByNameAndByClass() {
        let names = [201, 404, 499, 418, 508, 302].map { name(HTTPStatus($0)) }
        #expect(names == ["fine", "missing", "gone", "mine", "theirs", "else"])
    }

    @Test func statusesAreThrownAndCaught() {
        func check(_ status: HTTPStatus) throws { throw status }
        #expect(throws: HTTPStatus.unauthorized) { try check(401) }
        do {
            try check(.tooManyRequests)
        } catch HTTPStatus.tooManyRequests {
        } catch {
            Issue.record("\(error)")
        }
    }

    /// IANA's registry, and what nginx adds to it.
    @Test func everyRegisteredCodeHasAName() {
        let named: [HTTPStatus] = [
            .continue, .switchingProtocols, .processing, .earlyHints, .ok, .created, .accepted,
            .nonAuthoritativeInformation, .noContent, .resetContent, .partialContent, .multiStatus, .alreadyReported,
            .imUsed, .multipleChoices, .movedPermanently, .found, .seeOther, .notModified, .useProxy, .switchProxy,
            .temporaryRedirect, .permanentRedirect, .badRequest, .unauthorized, .paymentRequired, .forbidden, .notFound,
            .methodNotAllowed, .notAcceptable, .proxyAuthenticationRequired, .requestTimeout, .conflict, .gone,
            .lengthRequired, .preconditionFailed, .contentTooLarge, .uriTooLong, .unsupportedMediaType,
            .rangeNotSatisfiable, .expectationFailed, .imATeapot, .misdirectedRequest, .unprocessableContent, .locked,
            .failedDependency, .tooEarly, .upgradeRequired, .preconditionRequired, .tooManyRequests,
            .requestHeaderFieldsTooLarge, .unavailableForLegalReasons, .internalServerError, .notImplemented,
            .badGateway, .serviceUnavailable, .gatewayTimeout, .httpVersionNotSupported, .variantAlsoNegotiates,
            .insufficientStorage, .loopDetected, .notExtended, .networkAuthenticationRequired, .noResponse,
            .sslCertificateError, .sslCertificateRequired, .httpRequestSentToHTTPSPort, .clientClosedRequest,
        ]
        let codes: [Int] =
            [
                100...103, 200...208, 226...226, 300...308, 400...418, 421...426, 428...429, 431...431, 451...451,
                500...508,
            ]
            .flatMap(Array.init) + [510, 511, 444, 495, 496, 497, 499]
        #expect(named.map(\.code) == codes)
    }
}
