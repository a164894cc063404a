#if canImport(CLibcurl)
import CStreams

// The messages by HTTP/1.1, with which a connection serves one exchange at a time.
extension Exchange {
    /// Whether the connection can be used for another exchange after the response.
    var keepsConnection: Bool {
        guard let connection, http1?.parser.keepsConnection ?? false, http1?.sending.isOver ?? false else {
            return false
        }
        return !connection.hasKept && !request.requiresNewConnection
            && !request.headers.hasListElement("close", of: "Connection")
    }

    /// The readiness of the socket that the exchange waits for.
    var interest: CInt {
        let reading = isPaused ? 0 : CInt(PollerIn)
        return http1?.sending.waitsForRoom ?? false ? reading | CInt(PollerOut) : reading
    }

    /// Returns the failure of an exchange whose connection was lost.
    ///
    /// A server that closes a connection on which a request is sent may have processed it (RFC 9112, section 9.3.1).
    private func lost(_ failure: TransportFailure) -> TransportFailure {
        guard responseHeadSize == 0 else { return failure }
        guard isReused else { return http1?.sending.failure ?? failure }
        return TransportFailure(.transfer(.reusedConnectionLost), underlying: failure.underlying)
    }
}

// MARK: Sending

extension Exchange {
    /// Whether the request has a part that can be sent and has not been asked for.
    var canSend: Bool { http1?.sending.canSend ?? false && !continueWait.isHolding && !upload.isPaused }

    /// Whether the request could not be sent.
    var hasSendFailure: Bool { http1?.sending.failure != nil }

    /// Sends as much of the request as there is and the connection takes.
    func send(_ buffer: UnsafeMutableRawBufferPointer) throws(TransportFailure) {
        guard let connection else { return }
        let isHeld = continueWait.isHolding
        if try http1?.sending.send(&upload, isHeld: isHeld, on: connection, buffer) ?? false { timing.noteActivity() }
        // There may be much to read, but nothing more is sent.
        if request.isUpgrade, hasSendFailure { upload.close() }
    }
}

// MARK: Receiving

extension Exchange {
    /// The number of bytes that are left in a body from which it is received straight into the memory that is passed
    /// on.
    private static let leastDirectCount: Int64 = 64 * 1024
    /// The number of times in a row that a connection is read for one exchange, before others have their turn.
    private static let maxReadCount = 16

    /// The state of an exchange after its connection was read.
    enum Progress {
        case incomplete
        /// The response is complete.
        case complete
        /// The connection may have more bytes, which others should not have to wait for.
        case interrupted
    }

    /// Receives what the connection has, as far as the window allows.
    func receive(_ buffer: UnsafeMutableRawBufferPointer) throws(TransportFailure) -> Progress {
        guard let connection else { return .incomplete }
        var input = connection.takeKept(to: buffer)
        defer { connection.keep(input) }
        var isEmptied = false
        for _ in 0..<Self.maxReadCount {
            let isConsumed = try consume(&input)
            if isConsumed, http1?.parser.isComplete ?? false { return .complete }
            guard isConsumed, responseHead == nil || window.isOpen() else {
                isPaused = true
                return .incomplete
            }
            if isEmptied { return .incomplete }
            let count: Int?
            (count, isEmptied) = try read(connection, after: &input, buffer)
            guard let count else {
                if let failure = http1?.sending.failure { throw lost(failure) }
                return .incomplete
            }
            guard count > 0 else { return try end() }
            noteReceived()
        }
        return .interrupted
    }

    /// Reads the connection once.
    ///
    /// - Returns: The number of bytes, as ``TransportConnection/receive(into:)`` returns it, and whether there are no
    ///   more.
    private func read(
        _ connection: TransportConnection, after input: inout UnsafeRawBufferPointer,
        _ buffer: UnsafeMutableRawBufferPointer
    ) throws(TransportFailure) -> (count: Int?, isEmptied: Bool) {
        if input.isEmpty, !content.isEncoded, contentAhead > Self.leastDirectCount {
            return try readContent(connection)
        }
        buffer.copyMemory(from: input)
        let room = UnsafeMutableRawBufferPointer(rebasing: buffer[input.count...])
        // The limits of lines are below the size of the buffer.
        guard !room.isEmpty else { throw TransportFailure(.transfer(.headTooLarge)) }
        let count = try receive(into: room, from: connection)
        input = UnsafeRawBufferPointer(rebasing: buffer[..<(input.count + (count ?? 0))])
        return (count, !connection.isEncrypted && count ?? 0 < room.count)
    }

    /// The number of bytes that are content if they come next.
    private var contentAhead: Int64 { http1?.parser.contentAhead ?? 0 }

    /// Reads content straight into the memory that is passed on.
    private func readContent(
        _ connection: TransportConnection
    ) throws(TransportFailure) -> (count: Int?, isEmptied: Bool) {
        var result: Int?
        var room = 0
        let count = try content.append(upTo: contentAhead) { memory throws(TransportFailure) in
            room = memory.count
            result = try receive(into: memory, from: connection)
            return result ?? 0
        }
        window.spend(count)
        http1?.parser.consume(content: count)
        return (result, !connection.isEncrypted && count < room)
    }

    private func receive(
        into memory: UnsafeMutableRawBufferPointer, from connection: TransportConnection
    ) throws(TransportFailure) -> Int? {
        do throws(TransportFailure) {
            return try connection.receive(into: memory)
        } catch {
            throw lost(error)
        }
    }

    /// Consumes bytes as far as they can be parsed and the window allows.
    ///
    /// - Returns: Whether the window allowed all.
    private func consume(_ input: inout UnsafeRawBufferPointer) throws(TransportFailure) -> Bool {
        guard try content.decodeRest(within: window) else { return false }
        while let part = try nextPart(of: &input) {
            switch part {
            case .head(let head):
                receive(head: head)
                if head.status == .switchingProtocols { switchProtocols() }
            case .content(let count):
                var bytes = UnsafeRawBufferPointer(rebasing: input[..<count])
                let isConsumed = try consume(content: &bytes)
                let consumedCount = count - bytes.count
                http1?.parser.consume(content: consumedCount)
                input = UnsafeRawBufferPointer(rebasing: input[consumedCount...])
                guard isConsumed else { return false }
            }
        }
        return true
    }

    /// Sends and receives without a framing from now on. How long the peer may keep silent is the protocol's matter.
    private func switchProtocols() {
        content.codings = []
        continueWait.end()
        timing.endIdleTimeout()
    }

    private func nextPart(of input: inout UnsafeRawBufferPointer) throws(TransportFailure) -> ResponseParser.Part? {
        do throws(HTTPError.Reason) {
            let part = try http1?.parser.next(&input)
            if http1?.parser.hasContinue ?? false { continueWait.end() }
            return part
        } catch {
            throw TransportFailure(error)
        }
    }

    /// Ends the response with the connection.
    private func end() throws(TransportFailure) -> Progress {
        do throws(HTTPError.Reason) {
            try http1?.parser.end()
            return .complete
        } catch {
            throw lost(TransportFailure(error))
        }
    }
}

/// The messages of an exchange by HTTP/1.1: the request that is sent, and the response that is parsed.
struct HTTP1Messages {
    var sending: RequestSending
    var parser: ResponseParser

    /// Creates the messages of a request, whose content has been opened.
    init(_ request: TransportRequest, _ upload: BodyUpload, form: RequestHead.TargetForm) {
        sending = RequestSending(RequestWriter(request, upload, form: form))
        parser = ResponseParser(request)
    }
}

/// The sending of a request on a connection, which takes as much at a time as it has room for.
struct RequestSending {
    private var writer: RequestWriter
    /// Bytes that have been written, of which the first ``sentCount`` have been sent. They keep their place until all
    /// have been sent: TLS must be given the same memory again if the connection had no room.
    private var unsent: [UInt8] = []
    private var sentCount = 0
    /// The failure to send, after which there may still be a response.
    private(set) var failure: TransportFailure?

    init(_ writer: RequestWriter) {
        self.writer = writer
    }

    /// Whether all has been sent.
    var isOver: Bool { writer.isOver && unsent.isEmpty && failure == nil }

    /// Whether the connection must have room for more.
    var waitsForRoom: Bool { !unsent.isEmpty }

    /// Whether all that has been written is sent, and a part is left to be written.
    var canSend: Bool { unsent.isEmpty && failure == nil && !writer.isOver }

    /// The size of the head.
    var headSize: Int { writer.headSize }
}

// MARK: Sending

extension RequestSending {
    /// Sends as much as there is and the connection takes.
    ///
    /// - Parameter isHeld: Whether the content is not sent yet.
    /// - Returns: Whether bytes were sent.
    mutating func send(
        _ upload: inout BodyUpload, isHeld: Bool, on connection: TransportConnection,
        _ buffer: UnsafeMutableRawBufferPointer
    ) throws(TransportFailure) -> Bool {
        var hasSent = false
        while failure == nil {
            if !unsent.isEmpty {
                guard sendRest(on: connection, &hasSent) else { return hasSent }
            }
            switch writer.write(&upload, isHeld: isHeld, to: buffer) {
            case .bytes(let count):
                let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                // The buffer is also used for other connections.
                let sent = connection.isEncrypted ? 0 : send(bytes, on: connection, &hasSent)
                unsent.append(contentsOf: bytes[sent...])
            case .waiting, .end:
                return hasSent
            case .failed(let error):
                throw TransportFailure(.thrown(error, by: .body))
            }
        }
        return hasSent
    }

    /// Sends bytes that have been written before.
    ///
    /// - Returns: Whether the connection has taken all.
    private mutating func sendRest(on connection: TransportConnection, _ hasSent: inout Bool) -> Bool {
        // The slice must not outlive this statement: the removal below would allocate.
        let count = unsent[sentCount...].withUnsafeBytes { send($0, on: connection, &hasSent) }
        sentCount += count
        guard sentCount == unsent.count else { return false }
        unsent.removeAll(keepingCapacity: !writer.isOver)
        sentCount = 0
        return true
    }

    /// Sends bytes, and keeps the failure to do so: the server may have responded before it closed the connection.
    ///
    /// - Returns: The number of bytes that are done with.
    private mutating func send(
        _ bytes: UnsafeRawBufferPointer, on connection: TransportConnection, _ hasSent: inout Bool
    ) -> Int {
        do throws(TransportFailure) {
            let sent = try connection.send(bytes) ?? 0
            hasSent = hasSent || sent > 0
            return sent
        } catch {
            failure = error
            return bytes.count
        }
    }
}
#endif
