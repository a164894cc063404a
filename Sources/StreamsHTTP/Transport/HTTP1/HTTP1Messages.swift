#if canImport(CLibcurl)
/// The messages of an exchange by HTTP/1.1: the request that is sent, and the response that is parsed.
struct HTTP1Messages {
    var sending: RequestSending
    var parser: ResponseParser

    /// Creates the messages of a request, whose content has been opened.
    init(_ request: TransportRequest, _ upload: BodyUpload, form: RequestHead.TargetForm, now: MonotonicTime) {
        // The writer reads a copy of the exchange's upload, so that it is a value that writes whole requests without an
        // exchange. From now on, the copy alone is read and counts.
        sending = RequestSending(RequestWriter(request, upload, form: form, now: now))
        parser = ResponseParser(request)
    }

    /// Sends the content from now on if the server has asked for it, and stops waiting for that if the final response
    /// has begun.
    mutating func updateContinue() {
        if parser.hasContinue { sending.continueWait.end() }
        if parser.head != nil { sending.continueWait.abandon() }
    }
}
#endif
