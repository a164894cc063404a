import Testing

@testable import StreamsHTTP

@Suite struct HTTPErrorClassificationTests {
    private func error(
        _ reason: HTTPError.Reason, _ method: HTTPMethod = .post, attempt: Int = 1, redirects: [URL] = []
    ) -> HTTPError {
        HTTPError(
            reason, request: HTTPError.RequestSummary(method: method, url: "http://h/"), attempt: attempt,
            redirects: redirects)
    }

    private func response(_ status: HTTPStatus) -> HTTPError.Reason {
        .status(HTTPResponse(status: status, body: Data(), url: URL(literal: "http://h/")))
    }

    @Test func equalsAFailureOfItsKind() {
        #expect(error(.timeout(.total)) == error(.timeout(.total)))
        #expect(error(response(.notFound)) == error(response(.notFound)))
        #expect(error(.transfer(.bodyTooLarge(limit: 1))) == error(.transfer(.bodyTooLarge(limit: 2))))
        for other in [
            error(.timeout(.idle)), error(.timeout(.total), .get), error(.timeout(.total), attempt: 2),
            error(response(.notFound)),
        ] {
            #expect(error(.timeout(.total)) != other)
        }
        #expect(error(response(.notFound)) != error(response(.gone)))
        #expect(Subscribers.Completion<HTTPError>.finished == .finished)
        #expect(Subscribers.Completion.failure(error(.cancelled)) != .finished)
    }

    @Test func recognisesTimeouts() {
        for timeout in [HTTPError.Timeout.connect, .idle, .total, .queue, .permit] {
            #expect(error(.timeout(timeout)).isTimeout)
        }
        for reason in [response(.gatewayTimeout), .connection(.refused), .cancelled] {
            #expect(!error(reason).isTimeout)
        }
    }

    @Test func recognisesConnectionFailures() {
        for reason in [.timeout(.connect), .connection(.refused), .connection(.untrustedCertificate)]
            as [HTTPError.Reason]
        {
            #expect(error(reason).isConnectionFailure)
        }
        for reason in [.timeout(.idle), .transfer(.emptyReply), .invalidRequest(.clientShutDown)] as [HTTPError.Reason]
        {
            #expect(!error(reason).isConnectionFailure)
        }
    }

    @Test func knowsWhatTheServerCannotHaveProcessed() {
        let unsent: [HTTPError.Reason] = [
            .connection(.refused), .connection(.circuitOpen), .connection(.rateLimited), .timeout(.connect),
            .timeout(.queue), .timeout(.permit), .invalidRequest(.credentialsWithoutOrigin),
            .invalidRequest(.clientShutDown), .thrown(UnexpectedSuccess(), by: .encoder),
            .transfer(.requestRefused),
        ]
        for reason in unsent {
            #expect(!error(reason).mayHaveBeenProcessed)
            #expect(error(reason, attempt: 2).mayHaveBeenProcessed)
            #expect(error(reason, redirects: [URL(literal: "http://h/")]).mayHaveBeenProcessed)
        }
        let sent: [HTTPError.Reason] = [
            .transfer(.emptyReply), .transfer(.sendFailed), .timeout(.idle), .timeout(.total), response(.badGateway),
            .cancelled, .redirect(.refused), .transfer(.bodyTooLarge(limit: 1)),
            .thrown(UnexpectedSuccess(), by: .body), .thrown(UnexpectedSuccess(), by: .transport),
        ]
        for reason in sent { #expect(error(reason).mayHaveBeenProcessed) }
    }

    @Test func isRetryableIfNothingIsDoneTwice() {
        for reason in [.transfer(.emptyReply), .timeout(.idle), response(.serviceUnavailable)] as [HTTPError.Reason] {
            #expect(error(reason, .get).isRetryable && !error(reason, .post).isRetryable)
        }
        for method in [HTTPMethod.get, .post] {
            #expect(error(.connection(.refused), method).isRetryable)
            #expect(error(.transfer(.requestRefused), method).isRetryable)
            for reason in [.connection(.untrustedCertificate), response(.notFound), .cancelled] as [HTTPError.Reason] {
                #expect(!error(reason, method).isRetryable)
            }
        }
    }

    /// The server has processed the POST, and redirects to its result (RFC 9110, section 15.4.4).
    @Test func judgesByTheMethodBeforeRedirects() async throws {
        let transport = AnsweringTransport { _, number in
            number == 1 ? .reply(303, ["Location": "/result"]) : .failure(.connection(.refused))
        }
        for (method, isRetryable) in [(HTTPMethod.post, false), (.put, true)] {
            transport.requests.update { $0 = [] }
            let client = transport.client()
            let error = try await failure { () async throws(HTTPError) in
                try await client.response(for: HTTPRequest(method, "/"))
            }
            #expect(error.request.method == .get && error.isConnectionFailure && error.mayHaveBeenProcessed)
            #expect(error.isRetryable == isRetryable)
        }
    }
}
