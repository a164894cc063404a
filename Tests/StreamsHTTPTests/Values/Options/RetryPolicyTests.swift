import Testing

@testable import StreamsHTTP

@Suite struct RetryPolicyTests {
    private let policy = RetryPolicy(maxRetries: 3)
    // Sun, 06 Nov 1994 08:49:37 GMT
    private let now = Date(timeIntervalSince1970: 784_111_777)

    private func delay(
        _ reason: HTTPError.Reason, attempt: Int = 1, method: HTTPMethod = .get, body: HTTPBody = .empty,
        random: Double = 1, by policy: RetryPolicy? = nil
    ) throws -> Duration? {
        let policy = policy ?? self.policy
        let request = TransportRequest(method: method, url: try #require(URL(string: "http://h/")), body: body)
        let error = HTTPError(reason, request: request.summary(.usual), attempt: attempt)
        return policy.delay(after: error, of: request, retries: attempt - 1, now: now, random: random)
    }

    private func status(
        _ status: HTTPStatus, retryAfter: String? = nil, date: String? = nil
    ) throws -> HTTPError.Reason {
        var headers = HTTPHeaders()
        headers["Date"] = date
        headers["Retry-After"] = retryAfter
        return .status(
            HTTPResponse(status: status, headers: headers, body: Data(), url: try #require(URL(string: "http://h/"))))
    }

    @Test func waitsDoubleUpToTheirBound() throws {
        let delays = try (1...3).map { try delay(.transfer(.receiveFailed), attempt: $0) }
        #expect(delays == [.milliseconds(500), .seconds(1), .seconds(2)])
        let backoff = Backoff()
        #expect(backoff.delay(beforeRetry: 1000, random: 1) == .seconds(30))
    }

    @Test(arguments: [63, 64, 1000, Int.max])
    func noNumberOfRetriesIsTooLarge(retry: Int) {
        let backoff = Backoff(initial: .seconds(60), maximum: .seconds(600))
        #expect(backoff.delay(beforeRetry: retry, random: 1) == .seconds(600))
        let patient = Backoff(initial: .seconds(60), maximum: .seconds(Int64.max))
        #expect(patient.delay(beforeRetry: retry, random: 0.5) > .seconds(Int64.max / 4))
        #expect(Backoff(initial: .zero).delay(beforeRetry: retry, random: 1) == .zero)
        #expect(Backoff(maximum: .zero).delay(beforeRetry: retry, random: 1) == .zero)
    }

    @Test func jitterIsDrawnFromZeroToTheBound() throws {
        #expect(try delay(.transfer(.emptyReply), attempt: 2, random: 0) == .zero)
        #expect(try delay(.transfer(.emptyReply), attempt: 2, random: 0.25) == .milliseconds(250))
    }

    @Test func attemptsAreCounted() throws {
        #expect(try delay(.connection(.refused), attempt: 3) != nil)
        #expect(try delay(.connection(.refused), attempt: 4) == nil)
    }

    @Test func whatCouldDoHarmIsNotRepeated() throws {
        #expect(try delay(.connection(.refused), method: .post) == nil)
        #expect(try delay(.connection(.refused), method: .patch) == nil)
        #expect(try delay(.connection(.refused), method: .put) != nil)
        let oneShot = HTTPBody.stream(Fail<Data, any Error>(error: CancellationError()))
        #expect(try delay(.connection(.refused), method: .put, body: oneShot) == nil)
    }

    @Test func whatWillNotPassIsNotRepeated() throws {
        for reason in [
            .connection(.untrustedCertificate), .connection(.publicKeyNotPinned), .timeout(.total),
            .timeout(.queue), .timeout(.permit), .transfer(.bodyTooLarge(limit: 1)), .cancelled,
            .redirect(.insecure), .invalidRequest(.malformedURL("")), try status(404), try status(501),
        ] as [HTTPError.Reason] {
            #expect(try delay(reason) == nil, "\(reason)")
        }
        #expect(try delay(try status(503)) != nil)
    }

    @Test(arguments: [
        ("7", 7), (" 0 ", 0), ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sunday, 06-Nov-94 08:49:47 GMT", 10),
        ("Sun Nov  6 08:49:47 1994", 10), ("Sun, 06 Nov 1994 08:49:00 GMT", 0),
    ])
    func retryAfterIsObeyed(value: String, seconds: Int) throws {
        #expect(try delay(try status(503, retryAfter: value)) == .seconds(seconds))
    }

    @Test func aFractionOfASecondIsObeyed() throws {
        #expect(try delay(try status(503, retryAfter: "3.5")) == .milliseconds(3500))
        #expect(try delay(try status(503, retryAfter: " 0.250 ")) == .milliseconds(250))
    }

    @Test func tooMuchPatienceIsNotHad() throws {
        #expect(try delay(try status(503, retryAfter: "121")) == nil)
        var patient = policy
        patient.maxServerDelay = .seconds(300)
        #expect(try delay(try status(503, retryAfter: "300"), by: patient) == .seconds(300))
        #expect(try delay(try status(503, retryAfter: "301"), by: patient) == nil)
    }

    @Test(arguments: [
        "soon", "-1", "", "3.", ".5", "3.5.1", "3,5", "+3", "3e1", "0x3", "-0.5", "Sun, 06 Nov 10000 08:49:37 GMT",
    ])
    func nonsenseIsIgnored(value: String) throws {
        #expect(try delay(try status(503, retryAfter: value)) == .milliseconds(500))
    }

    @Test func aDateIsHeldAgainstTheServersClock() throws {
        let reason = try status(
            503, retryAfter: "Sun, 06 Nov 2094 08:00:30 GMT", date: "Sun, 06 Nov 2094 08:00:00 GMT")
        #expect(try delay(reason) == .seconds(30))
    }

    @Test func methodsMayBeAddedAndTaken() throws {
        var policy = policy
        policy.methods = [.post]
        #expect(try delay(.connection(.refused), method: .post, by: policy) != nil)
        #expect(try delay(.connection(.refused), method: .get, by: policy) == nil)
    }

    @Test func statusesMayBeAddedAndTaken() throws {
        var policy = policy
        policy.statuses = [.conflict]
        #expect(try delay(try status(409), by: policy) != nil)
        #expect(try delay(try status(503), by: policy) == nil)
    }

    @Test func aConditionGoesBeforeTheRule() throws {
        var policy = policy
        policy.shouldRetry = { error in
            switch error.status {
            case .notFound: true
            case .serviceUnavailable: false
            default: nil
            }
        }
        #expect(try delay(try status(404), by: policy) != nil)
        #expect(try delay(try status(503), by: policy) == nil)
        #expect(try delay(try status(500), by: policy) != nil)
        #expect(try delay(try status(400), by: policy) == nil)
        #expect(try delay(try status(404), method: .post, by: policy) == nil)
    }
}
