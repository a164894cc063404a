#if canImport(CLibcurl)
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

    /// The wait of the content for the server.
    var continueWait: ContinueWait {
        get { writer.continueWait }
        set { writer.continueWait = newValue }
    }

    /// Whether all has been sent.
    var isOver: Bool { writer.isOver && unsent.isEmpty && failure == nil }

    /// Whether the connection must have room for more.
    var waitsForRoom: Bool { !unsent.isEmpty }

    /// Whether the source of the content has none now.
    var isPaused: Bool { writer.upload.isPaused }

    /// Whether there is a part that can be sent and has not been asked for.
    var canSend: Bool {
        unsent.isEmpty && failure == nil && !writer.isOver && !writer.continueWait.isHolding && !writer.upload.isPaused
    }

    /// The size of the head.
    var headSize: Int { writer.headSize }

    /// The number of bytes of the head and of the content that have been read.
    var byteCount: Int64 { Int64(writer.headSize) + writer.upload.sent }

    /// Records that there is content again.
    ///
    /// - Returns: Whether it was waited for.
    mutating func resume() -> Bool { writer.upload.resume() }

    mutating func takeProgress() -> TransportEvent? { writer.upload.takeProgress() }

    mutating func close() {
        writer.upload.close()
    }
}

// MARK: Sending

extension RequestSending {
    /// Sends as much as there is and the connection takes.
    ///
    /// - Returns: Whether bytes were sent.
    mutating func send(
        on connection: TransportConnection, _ buffer: UnsafeMutableRawBufferPointer
    ) throws(TransportFailure) -> Bool {
        var hasSent = false
        while failure == nil {
            if !unsent.isEmpty {
                guard sendRest(on: connection, &hasSent) else { return hasSent }
            }
            switch writer.write(to: buffer) {
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
