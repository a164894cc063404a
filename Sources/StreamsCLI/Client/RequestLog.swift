import StreamsHTTP

/// The log of `-v`. Lines begin with `>` if they are sent, with `<` if they are received, and with `*` otherwise.
struct RequestLog: Sendable {
    private let console: Console
    private let redaction: Redaction
    private let start = ContinuousClock.now

    init(on console: Console, redaction: Redaction) {
        self.console = console
        self.redaction = redaction
        note("streams \(HTTPClient.version), \(SystemTransport.runtime)")
    }

    /// Logs a request: the first, or one after a redirect.
    func sending(_ request: TransportRequest) {
        note("request to \(request.summary(redaction).url)")
        console.say("> \(request.requestLine(redaction))")
        let added = request.addedFields
        let fields = Array(added.prefix(1)) + Array(request.headers) + Array(added.dropFirst())
        for field in fields { console.say("> \(field.line(redaction))") }
    }

    /// Logs the head of a response.
    func received(_ head: HTTPResponse<Void>) {
        let phrase = head.reasonPhrase.isEmpty ? "" : " \(head.reasonPhrase)"
        console.say("< \(head.version) \(head.status)\(phrase)")
        for field in head.headers { console.say("< \(field.line(redaction))") }
    }

    /// Logs the use of the cache.
    func answered(by status: CacheStatus) {
        note("cache: \(status)")
    }

    func observe(_ event: RequestEvent<Void>) {
        guard case .retrying(let retry) = event else { return }
        let (number, reason) = (retry.error.attempt, retry.error.reason)
        note("attempt \(number) failed: \(reason); the next begins in \(retry.delay.rounded)")
    }

    /// Logs the result.
    func finished(_ response: HTTPResponse<Void>, bytes: Int64) {
        for place in response.redirects { note("redirected by \(redaction.redacting(place))") }
        let time = (ContinuousClock.now - start).rounded
        let url = redaction.redacting(response.url)
        note("\(response.status) by \(response.version) from \(url): \(bytes) bytes in \(time)")
    }

    private func note(_ text: String) {
        console.say("* \(text)")
    }
}
