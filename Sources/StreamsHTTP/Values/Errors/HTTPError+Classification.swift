// Classifications of failures, for callers that handle them.

extension HTTPError {
    /// Whether a timeout expired, one of ``RequestOptions/Timeouts`` or of ``WebSocketOptions``. The statuses 408 and
    /// 504 are responses, not timeouts.
    public var isTimeout: Bool {
        if case .timeout = reason { true } else { false }
    }

    /// Whether no connection could be established, in time or at all, or a policy of the client allowed none.
    public var isConnectionFailure: Bool {
        switch reason {
        case .connection, .timeout(.connect): true
        default: false
        }
    }

    /// Whether the server may have processed the request.
    ///
    /// `false` only if the first attempt failed before any part of the request was sent, or if the server has said that it
    /// did not process the request (``Transfer/requestRefused``). `true` after a response, a redirect or an earlier
    /// attempt, and if it is unknown how much was sent.
    public var mayHaveBeenProcessed: Bool {
        guard attempt == 1, redirects.isEmpty else { return true }
        return switch reason {
        case .invalidRequest, .connection, .timeout(.connect), .timeout(.queue), .timeout(.permit),
            .transfer(.requestRefused), .thrown(_, by: .encoder):
            false
        case .timeout, .transfer, .webSocket, .redirect, .status, .decoding, .authorization, .thrown, .cancelled: true
        }
    }

    /// Whether the request can be sent again and may succeed then: the failure is transient by the default rule of
    /// ``RetryPolicy``, and the method is idempotent (RFC 9110, section 9.2.2), or the server cannot have processed the
    /// request (``mayHaveBeenProcessed``).
    ///
    /// It does not consider whether the body can be sent again; see ``HTTPBody/isReplayable``.
    public var isRetryable: Bool {
        RetryPolicy.never.isTransient(reason) && (originalMethod.isIdempotent || !mayHaveBeenProcessed)
    }
}

extension HTTPError.Reason {
    /// Returns whether another attempt may succeed, by the default rule of retries, reconnections and circuits, which
    /// differ in the statuses that they take for transient.
    func isTransient(_ isTransientStatus: (HTTPStatus) -> Bool) -> Bool {
        switch self {
        case .connection(let connection): connection.isTransient
        case .timeout(let timeout): timeout.isTransient
        case .transfer(let transfer): transfer.isTransient
        case .webSocket(let failure): failure.isTransient
        case .status(let response): isTransientStatus(response.status)
        case .invalidRequest, .redirect, .decoding, .authorization, .thrown, .cancelled: false
        }
    }
}
