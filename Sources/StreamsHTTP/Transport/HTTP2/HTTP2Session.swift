#if canImport(CLibcurl)
import CStreams

/// A connection by HTTP/2 with the exchanges that use it.
///
/// Calls change the state, and note what has become of exchanges; the coordinator takes that afterwards, and sends. So
/// several requests of one turn go out together. Only the engine's thread uses a session.
final class HTTP2Session {
    typealias StreamID = HTTP2Frame.StreamID

    /// The end of an exchange's stream.
    enum StreamEnd {
        case complete
        case failed(TransportFailure)
        /// The server has not processed the request (RFC 9113, section 8.7), and has said so with a code.
        case unprocessed(HTTPError.Underlying)
        /// The server wants the request by HTTP/1.1.
        case requiresHTTP1
    }

    /// The number of times in a row that the connection is read, before others have their turn.
    private static let maxReadCount = 16
    /// The number of unsent bytes beyond which no more content is taken from sources.
    private static let maxUnsentSize = 256 * 1024
    /// The number of bytes that are read from a source at once, whatever frames the server accepts.
    private static let maxReadSize = 64 * 1024

    let connection: TransportConnection
    @exclusivity(unchecked) private var machine: HTTP2StateMachine
    @exclusivity(unchecked) private var exchanges: [StreamID: Exchange] = [:]
    /// The exchanges whose content waits for a window, or for the connection to take what was written.
    @exclusivity(unchecked) private var blocked: [StreamID] = []
    /// The exchanges that have something to deliver.
    @exclusivity(unchecked) private var changed: [Exchange] = []
    @exclusivity(unchecked) private var ended: [(exchange: Exchange, end: StreamEnd)] = []
    /// The bytes that are being sent. They keep their place until all have been sent: TLS must be given the same memory
    /// again if the connection had no room.
    @exclusivity(unchecked) private var sending: [UInt8] = []
    @exclusivity(unchecked) private var sentCount = 0
    @exclusivity(unchecked) private var liveness: HTTP2Liveness
    /// Whether no more exchanges are given to it, because it has become too old.
    @exclusivity(unchecked) private var isRetired = false
    /// Whether the coordinator is to look at it at the end of the turn.
    @exclusivity(unchecked) var isChanged = false
    /// The exchange that the connection was opened for, until the number of streams is known: others to the same
    /// destination wait until then, and may need no connection of their own.
    @exclusivity(unchecked) var opener: Exchange?
    /// The failure to send, after which there may still be responses.
    @exclusivity(unchecked) private var sendFailure: TransportFailure?
    /// The failure of the connection.
    @exclusivity(unchecked) private(set) var failure: TransportFailure?
    /// The error for which the server ends the connection, if it has told one.
    @exclusivity(unchecked) private var goAway: HTTPError.Underlying?

    /// - Parameters:
    ///   - connection: The connection.
    ///   - other: Another connection to the server, whose number of streams is known.
    init(_ connection: TransportConnection, like other: HTTP2Session? = nil, now: MonotonicTime) {
        self.connection = connection
        machine = HTTP2StateMachine(presuming: other?.machine.maxStreamCount, now: now)
        liveness = HTTP2Liveness(now: now)
    }

    /// Whether the session has no exchange.
    var isIdle: Bool { exchanges.isEmpty }

    /// Whether another exchange can use the connection now.
    var hasRoom: Bool { failure == nil && sendFailure == nil && !isRetired && machine.hasRoom }

    /// Whether the connection must be closed: it has failed, or has no exchange left and gets no more.
    var isOver: Bool { failure != nil || (isRetired || machine.isLeaving) && exchanges.isEmpty }

    /// Gives the connection to no more exchanges.
    func retire() {
        isRetired = true
    }

    /// Whether the number of streams is known.
    var isSettled: Bool { machine.hasSettings }

    /// Whether something has become of exchanges that has not been taken.
    var hasNews: Bool { !changed.isEmpty || !ended.isEmpty }

    /// Takes the exchanges that have something to deliver.
    func takeChanged() -> [Exchange] {
        guard !changed.isEmpty else { return [] }
        let exchanges = changed
        changed = []
        for exchange in exchanges { exchange.http2?.isChanged = false }
        return exchanges
    }

    /// Takes the exchanges whose streams have ended.
    func takeEnded() -> [(exchange: Exchange, end: StreamEnd)] {
        exchange(&ended, with: [])
    }

    /// Records that an exchange has something to deliver.
    private func note(_ exchange: Exchange) {
        guard exchange.http2?.isChanged == false else { return }
        exchange.http2?.isChanged = true
        changed.append(exchange)
    }
}

// MARK: Exchanges

extension HTTP2Session {
    /// Begins an exchange on a stream.
    ///
    /// - Returns: Whether there was room.
    func start(_ exchange: Exchange, now: MonotonicTime) -> Bool {
        let hasContent = exchange.upload.isPresent
        guard hasRoom,
            let (stream, headSize) = machine.open(
                exchange.request, hasContent: hasContent, length: exchange.upload.length)
        else { return false }
        if exchanges.isEmpty { liveness.restart(now: now) }
        exchanges[stream] = exchange
        exchange.attach(to: self, stream, headSize: headSize, now: now)
        // So that its timeouts apply from now on.
        note(exchange)
        if hasContent { sendContent(of: exchange) }
        return true
    }

    /// Forgets an exchange, whose stream is ended if it is open.
    func remove(_ exchange: Exchange) {
        guard let stream = exchange.http2?.stream, exchanges.removeValue(forKey: stream) != nil else { return }
        machine.cancel(stream)
    }

    /// Decodes what had no room in the window of the receiver.
    func resumeReceiving(_ exchange: Exchange) {
        guard let stream = exchange.http2?.stream else { return }
        do throws(TransportFailure) {
            try exchange.receiveHeld()
            note(exchange)
            if exchange.isResponseOver { end(stream, .complete) }
        } catch {
            end(stream, .failed(error))
        }
    }

    /// Sends content of an exchange, as far as there is some, and the windows and the connection have room.
    func sendContent(of exchange: Exchange) {
        guard let stream = exchange.http2?.stream else { return }
        while sendFrame(of: exchange, stream) {}
    }

    /// Sends a frame of an exchange's content.
    ///
    /// - Returns: Whether there may be another one now.
    private func sendFrame(of exchange: Exchange, _ stream: StreamID) -> Bool {
        guard exchange.hasContentToSend else { return false }
        guard !exchange.upload.isOver else {
            endContent(of: exchange, stream)
            return false
        }
        let room = min(machine.room(of: stream), exchange.upload.remaining, Self.maxReadSize)
        guard room > 0, machine.unsentSize < Self.maxUnsentSize else {
            if !blocked.contains(stream) { blocked.append(stream) }
            return false
        }
        var buffer = [UInt8](repeating: 0, count: room)
        let result = buffer.withUnsafeMutableBytes { exchange.upload.read(into: $0) }
        switch result {
        case .bytes(let count):
            let isLast = exchange.upload.isOver
            buffer.withUnsafeBytes { bytes in
                machine.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), to: stream, isLast: isLast)
            }
            exchange.noteSent(isLast: isLast)
            note(exchange)
            return !isLast
        case .end: endContent(of: exchange, stream)
        case .waiting: break
        case .failed(let error): end(stream, .failed(TransportFailure(.thrown(error, by: .body))))
        }
        return false
    }

    /// Ends the content of an exchange with an empty frame.
    private func endContent(of exchange: Exchange, _ stream: StreamID) {
        machine.write(UnsafeRawBufferPointer(start: nil, count: 0), to: stream, isLast: true)
        exchange.noteSent(isLast: true)
    }

    private func end(_ stream: StreamID, _ end: StreamEnd) {
        guard let exchange = exchanges[stream] else { return }
        if case .complete = end {} else { machine.cancel(stream) }
        ended.append((exchange, end))
    }
}

// MARK: Sending

extension HTTP2Session {
    /// Whether the connection must have room for more.
    var waitsForRoom: Bool { sentCount < sending.count && sendFailure == nil }

    /// Whether nothing can be sent any more, and the connection is to be read up to its end.
    var hasSendFailure: Bool { sendFailure != nil && failure == nil }

    /// Sends what there is and the connection takes, with the content that was blocked.
    func send() {
        guard failure == nil, sendFailure == nil else { return }
        do throws(TransportFailure) {
            while true {
                if sentCount == sending.count {
                    resumeBlocked()
                    sending = machine.takeOutput()
                    sentCount = 0
                    guard !sending.isEmpty else { return }
                }
                // The slice must not outlive the statement: what follows would copy the array.
                let result = sending[sentCount...].withUnsafeBytes { bytes in
                    Result { () throws(TransportFailure) in try connection.send(bytes) }
                }
                guard let count = try result.get(), count > 0 else { return }
                sentCount += count
            }
        } catch {
            // The server may have responded before it closed the connection, which is read up to its end.
            sendFailure = error
        }
    }

    /// Sends content that was blocked: a frame of each exchange in turn, so that each has its share of a window of the
    /// connection that is too small for all.
    private func resumeBlocked() {
        var streams = blocked
        blocked = []
        while !streams.isEmpty {
            streams.removeAll { stream in
                guard let exchange = exchanges[stream] else { return true }
                return !sendFrame(of: exchange, stream)
            }
        }
    }
}

// MARK: Receiving

extension HTTP2Session {
    /// Receives what the connection has.
    ///
    /// - Returns: Whether the connection may have more bytes, which others should not have to wait for.
    func receive(_ buffer: UnsafeMutableRawBufferPointer, now: MonotonicTime) -> Bool {
        guard failure == nil else { return false }
        do throws(TransportFailure) {
            var input = connection.takeKept(to: buffer)
            defer { connection.keep(input) }
            for _ in 0..<Self.maxReadCount {
                try handle(&input, now: now)
                buffer.copyMemory(from: input)
                let room = UnsafeMutableRawBufferPointer(rebasing: buffer[input.count...])
                let count = try connection.receive(into: room)
                input = UnsafeRawBufferPointer(rebasing: buffer[..<(input.count + (count ?? 0))])
                guard let count else {
                    if let sendFailure { throw sendFailure }
                    return false
                }
                guard count > 0 else { throw sendFailure ?? TransportFailure(.transfer(.receiveFailed)) }
                liveness.noteReceived(now: now)
                if !connection.isEncrypted, count < room.count {
                    try handle(&input, now: now)
                    return false
                }
            }
            return true
        } catch {
            fail(error)
            return false
        }
    }

    private func handle(_ input: inout UnsafeRawBufferPointer, now: MonotonicTime) throws(TransportFailure) {
        do throws(HTTP2Error) {
            while let event = try machine.next(&input, now: now) { handle(event) }
        } catch {
            machine.end(error)
            throw TransportFailure(error)
        }
    }

    private func handle(_ event: HTTP2StateMachine.Event) {
        switch event {
        case .informational(let stream, let status, let size):
            guard let exchange = exchanges[stream] else { return }
            exchange.noteReceived(headSize: size)
            note(exchange)
            guard status == .continue else { return }
            exchange.continueWait.end()
            sendContent(of: exchange)
        case .head(let stream, let head, let size, let isLast):
            update(stream) { exchange throws(TransportFailure) in exchange.receive(head, size: size, isLast: isLast) }
        case .content(let stream, let content, let isLast):
            update(stream) { exchange throws(TransportFailure) in try exchange.receive(content, isLast: isLast) }
        case .trailers(let stream, let trailers):
            update(stream) { exchange throws(TransportFailure) in try exchange.receive(trailers) }
        case .reset(let stream, let code): endReset(stream, code)
        case .failed(let stream, let failure): end(stream, .failed(failure))
        case .roomToSend(let stream):
            guard let stream else { return resumeBlocked() }
            if let exchange = exchanges[stream], blocked.contains(stream) { sendContent(of: exchange) }
        case .roomForStreams: resumeBlocked()
        case .goAway(let unprocessed, let code):
            let reason = HTTPError.Underlying(goAway: code)
            if code != .noError { goAway = reason }
            for stream in unprocessed { endUnprocessed(stream, reason) }
        case .pong: break
        }
    }

    /// Ends the exchange of a stream that the server has reset.
    private func endReset(_ stream: StreamID, _ code: HTTP2Error.Code) {
        guard let exchange = exchanges[stream] else { return }
        switch code {
        case .refusedStream: endUnprocessed(stream, HTTPError.Underlying(reset: code))
        case .http11Required where exchange.responseHead == nil: end(stream, .requiresHTTP1)
        default: end(stream, .failed(exchange.failure(ofReset: code)))
        }
    }

    /// Ends the exchange of a stream that the server says not to have processed, so that the request can be sent again.
    /// That is not so if there is a head.
    private func endUnprocessed(_ stream: StreamID, _ reason: HTTPError.Underlying) {
        let hasHead = exchanges[stream]?.responseHead != nil
        let failure = TransportFailure(.transfer(.bodyEndedEarly), underlying: reason)
        end(stream, hasHead ? .failed(failure) : .unprocessed(reason))
    }

    /// Changes an exchange by what was received, and ends it if its response is complete.
    private func update(_ stream: StreamID, _ change: (Exchange) throws(TransportFailure) -> Void) {
        guard let exchange = exchanges[stream] else { return }
        do throws(TransportFailure) {
            try change(exchange)
            note(exchange)
            if exchange.isResponseOver { end(stream, .complete) }
        } catch {
            end(stream, .failed(error))
        }
    }

    /// Lets the server send as much of an exchange's response as its receiver has asked for.
    func allowContent(of exchange: Exchange) {
        guard let http2 = exchange.http2, let window = exchange.allowedWindow else { return }
        machine.allow(window, on: http2.stream)
    }
}

// MARK: The end

extension HTTP2Session {
    /// Ends the connection, and with it the exchanges whose responses have not come.
    func fail(_ failure: TransportFailure) {
        guard self.failure == nil else { return }
        self.failure = failure
        sendRest()
        for (stream, exchange) in exchanges where exchange.http2?.hasWholeResponse == false {
            end(stream, .failed(exchange.failure(ofConnection: failure, after: goAway)))
        }
    }

    /// Tells the server that the connection ends, unless it has failed.
    func sayGoodbye() {
        guard failure == nil else { return }
        machine.end(HTTP2Error(.noError, "the connection is closed"))
        sendRest()
    }

    /// Tells the server why the connection ends, if it takes that at once.
    private func sendRest() {
        guard sendFailure == nil else { return }
        let rest = sending[sentCount...] + machine.takeOutput()
        (sending, sentCount) = ([], 0)
        _ = rest.withUnsafeBytes { bytes in try? connection.send(bytes) }
    }

    /// The time at which there is something to do although the connection is silent; `nil` if there is none.
    var deadline: MonotonicTime? { failure == nil && !isIdle ? liveness.deadline : nil }

    /// Sends a ping to a silent server, and ends the connection of one that does not answer.
    ///
    /// - Parameters:
    ///   - time: The time up to which the connection is known to have been read.
    ///   - now: The time.
    /// - Returns: Whether something has changed.
    func inspect(_ time: MonotonicTime, now: MonotonicTime) -> Bool {
        switch deadline == nil ? nil : liveness.check(time, now: now) {
        case .ping: machine.ping()
        case .fail: fail(TransportFailure(.timeout(.idle)))
        case nil: return false
        }
        return true
    }
}
#endif
