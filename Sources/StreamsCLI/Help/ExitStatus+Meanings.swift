import StreamsHTTP

extension ExitStatus {
    /// The meanings of the statuses that are the tool's, in the order of their numbers. All others are codes of libcurl.
    static let meanings: [(status: ExitStatus, meaning: String)] = [
        (.success, "success, also when the reader of the output closes its end"),
        (.unsupportedProtocol, "scheme or version not supported, or no HTTP"),
        (.usage, "wrong usage"),
        (.malformedURL, "malformed URL"),
        (.notBuiltIn, "libcurl, or what the request needs of it, is missing"),
        (.proxyNotResolved, "proxy not resolved"),
        (.hostNotResolved, "host not resolved"),
        (.notConnected, "not connected"),
        (.malformedReply, "malformed head"),
        (.bodyEndedEarly, "body ended early"),
        (.errorResponse, "status 400 or above"),
        (.writeFailed, "local write failed"),
        (.readFailed, "local read failed"),
        (.outOfResources, "out of resources"),
        (.timeout, "timeout"),
        (.rangeFailed, "another range than requested"),
        (.tlsHandshake, "TLS handshake failed"),
        (.tooManyRedirects, "too many redirects"),
        (.emptyReply, "empty reply"),
        (.sendFailed, "sending failed"),
        (.receiveFailed, "receiving failed, or a malformed chunk"),
        (.clientCertificate, "--cert not usable"),
        (.untrustedCertificate, "certificate not trusted"),
        (.undecodableContent, "content encoding not decodable, or another checksum"),
        (.bodyTooLarge, "larger than --max-bytes"),
        (.bodyNotReplayable, "body cannot be sent again"),
        (.tourFailed, "the tour failed"),
        (.closedUnexpectedly, "a WebSocket was closed with another code than 1000, 1001 or none"),
        (.trustRoots, "--cacert not usable"),
        (.proxyHandshake, "a SOCKS proxy refused the connection"),
        (.interrupted(by: SIGHUP), "ended by SIGHUP"),
        (.interrupted(by: SIGINT), "ended by SIGINT"),
        (.interrupted(by: SIGTERM), "ended by SIGTERM"),
    ]

    static let otherMeanings = "Any other is a code of libcurl's. With several URLs, it is that of the first failure."
}
