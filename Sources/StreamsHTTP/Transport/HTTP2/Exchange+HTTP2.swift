#if canImport(CLibcurl)
import CStreams

/// The messages of an exchange by HTTP/2.
struct HTTP2Messages {
    /// The session that the stream is one of, until the exchange leaves it.
    var session: HTTP2Session?
    let stream: HTTP2Frame.StreamID
    /// The size of the request's head.
    let headSize: Int
    /// Whether the session has noted that the exchange has something to deliver.
    var isChanged = false
    /// Whether the whole request has been written.
    var isSent: Bool
    /// Encoded content that the receiver's window has no room for. The stream's window bounds it.
    var held: [UInt8] = []
    /// The size of the heads of the response.
    var responseHeadSize = 0
    /// Whether the whole response has come from the server.
    var hasWholeResponse = false
    var trailers: HTTPHeaders?
}

// MARK: The stream

extension Exchange {
    /// The number of times that the request is sent again because a server has not processed it.
    private static let maxUnprocessedCount = 3

    /// Begins to use a stream.
    func attach(to session: HTTP2Session, _ stream: HTTP2Frame.StreamID, headSize: Int, now: MonotonicTime) {
        http2 = HTTP2Messages(
            session: session, stream: stream, headSize: headSize, isSent: !upload.isPresent)
        begin(on: session.connection, now: now)
    }

    /// Whether the exchange uses a stream of a connection.
    func isAttached(to session: HTTP2Session) -> Bool { http2?.session === session }

    /// Prepares a request that a server has not processed, and whose stream has been left, to be sent again.
    ///
    /// - Parameter refusal: The code that the server has given; `nil` if it asks for HTTP/1.1.
    func prepareToStartAgain(after refusal: HTTPError.Underlying?) throws(TransportFailure) {
        http2 = nil
        continueWait = ContinueWait()
        timing.leftConnection()
        unprocessedCount += 1
        guard unprocessedCount <= Self.maxUnprocessedCount, try upload.rewind(onReadable: onReadable) else {
            throw TransportFailure(.transfer(.requestRefused), underlying: refusal)
        }
    }

    /// Returns the failure of an exchange whose stream the server has reset.
    func failure(ofReset code: HTTP2Error.Code) -> TransportFailure {
        let reason: HTTPError.Transfer =
            switch code {
            // The server complains of a violation, which would come again.
            case .protocolError, .flowControlError, .streamClosed, .frameSizeError, .compressionError: .protocolError
            // An intermediary whose upstream failed does so.
            default: responseHead == nil ? .receiveFailed : .bodyEndedEarly
            }
        return TransportFailure(.transfer(reason), underlying: HTTPError.Underlying(reset: code))
    }

    /// Returns the failure of an exchange whose connection has failed.
    ///
    /// - Parameters:
    ///   - failure: The failure of the connection.
    ///   - goAway: The error for which the server has ended it, if it has told one.
    func failure(ofConnection failure: TransportFailure, after goAway: HTTPError.Underlying?) -> TransportFailure {
        let reason: HTTPError.Transfer
        switch failure.reason {
        case .transfer(.receiveFailed), .transfer(.sendFailed):
            reason = responseHead != nil ? .bodyEndedEarly : isReused ? .reusedConnectionLost : .emptyReply
        default: return failure
        }
        return TransportFailure(.transfer(reason), underlying: goAway ?? failure.underlying)
    }
}

// MARK: Sending

extension Exchange {
    /// Whether there is content that can be sent, or its end.
    var hasContentToSend: Bool {
        guard let http2 else { return false }
        return !http2.isSent && !http2.hasWholeResponse && !continueWait.isHolding && !upload.isPaused
    }

    func noteSent(isLast: Bool) {
        http2?.isSent = isLast
        timing.noteActivity()
    }
}

// MARK: Receiving

extension Exchange {
    /// Whether the response has come, and all of it can be delivered.
    var isResponseOver: Bool {
        guard let http2 else { return false }
        return http2.hasWholeResponse && http2.held.isEmpty && !content.hasRest
    }

    /// Records a head of the response.
    func noteReceived(headSize: Int) {
        noteReceived()
        http2?.responseHeadSize += headSize
    }

    func receive(_ head: HTTPResponse<Void>, size: Int, isLast: Bool) {
        noteReceived(headSize: size)
        receive(head: head)
        http2?.hasWholeResponse = isLast
    }

    func receive(_ bytes: UnsafeRawBufferPointer, isLast: Bool) throws(TransportFailure) {
        noteReceived()
        http2?.hasWholeResponse = isLast
        if http2?.held.isEmpty ?? true, !isPaused || !content.isEncoded { try consume(bytes) } else { hold(bytes) }
    }

    func receive(_ trailers: HTTPHeaders) throws(TransportFailure) {
        noteReceived()
        http2?.trailers = trailers
        http2?.hasWholeResponse = true
    }

    /// Decodes what was held, as far as the window allows.
    func receiveHeld() throws(TransportFailure) {
        guard let held = http2?.held else { return }
        http2?.held = []
        var result: Result<Void, TransportFailure> = .success(())
        held.withUnsafeBytes { bytes in
            result = Result { () throws(TransportFailure) in try consume(bytes) }
        }
        try result.get()
    }

    private func consume(_ bytes: UnsafeRawBufferPointer) throws(TransportFailure) {
        var rest = bytes
        if try content.decodeRest(within: window), try consume(content: &rest) { return }
        isPaused = true
        hold(rest)
    }

    private func hold(_ bytes: UnsafeRawBufferPointer) {
        http2?.held.append(contentsOf: bytes)
    }

    /// The number of bytes that the server may send from now on; `nil` if it may send no more for now.
    var allowedWindow: Int? {
        guard let http2, !http2.hasWholeResponse, responseHead != nil else { return nil }
        guard window.isOpen() else {
            isPaused = true
            return nil
        }
        // Encoded content is only decoded as far as the receiver has asked.
        return content.isEncoded ? HTTP2StateMachine.initialWindow - http2.held.count : window.left
    }
}
#endif
