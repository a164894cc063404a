import StreamsHTTP

/// What `-v` tells, line by line: `>` for what is sent, `<` for what comes, `*` for what the tool thinks of it.
struct RequestLog: Sendable {
    private let console: Console
    private let start = ContinuousClock.now

    init(on console: Console) {
        self.console = console
        note("streams \(HTTPClient.version), \(CurlTransport.libraryVersion)")
    }

    /// A request on its way: the first, and the one that a redirect leads to.
    func sending(_ request: TransportRequest) {
        console.say("> \(request.method) \(request.url.absoluteString)")
        for field in request.headers { console.say("> \(field)") }
        if let length = request.body.length { console.say("> content-length: \(length)") }
    }

    /// The head of a response.
    func received(_ head: HTTPResponse<Void>) {
        console.say("< \(head.version) \(head.status)")
        for field in head.headers { console.say("< \(field)") }
    }

    func observe(_ event: RequestEvent<Void>) {
        guard case .retrying(let retry) = event else { return }
        let (number, reason) = (retry.error.attempt, retry.error.reason.label)
        note("attempt \(number) failed: \(reason); the next begins in \((retry.delay / .seconds(1)).formatted) s")
    }

    /// What the whole came to.
    func finished(_ response: HTTPResponse<Void>, bytes: Int64) {
        for place in response.redirects { note("redirected by \(place.absoluteString)") }
        let seconds = ((ContinuousClock.now - start) / .seconds(1)).formatted
        note(
            "\(response.status) by \(response.version) from \(response.url.absoluteString): \(bytes) bytes in \(seconds) s"
        )
    }

    private func note(_ text: String) {
        console.say("* \(text)")
    }
}

extension Double {
    /// With three digits behind the point.
    fileprivate var formatted: String {
        "\((self * 1000).rounded() / 1000)"
    }
}
