import StreamsHTTP

/// Passes a request's events on: the body to its output, and every event to the printer of events.
struct Delivery {
    private let output: (any BodyOutput)?
    private var printer: EventPrinter?
    private let heads: ResponseHeads?
    private let omitsErrorBodies: Bool
    private let takesRemoteTime: Bool
    /// The number of bytes that the output has before.
    private let offset: Int64
    /// The head of the response that is being received, until something of the response is written.
    private var pendingHead: HTTPResponse<Void>?
    /// Whether the response is not written.
    private var isOmitted = false
    /// The head of the response that is being received, if it is an error.
    private(set) var errorHead: HTTPResponse<Void>?
    /// Whether the output had the whole body before.
    private(set) var isComplete = false
    /// The number of bytes of the body that were received, decoded.
    private(set) var bytes: Int64 = 0

    /// Creates a delivery.
    ///
    /// - Parameters:
    ///   - output: The output of the body; `nil` for none.
    ///   - printer: The printer of events; `nil` for none.
    ///   - heads: The heads to write before the body; `nil` for none.
    ///   - omitsErrorBodies: Whether the body of a response with status 400 or above is not written.
    ///   - takesRemoteTime: Whether a complete file gets the time of the response's `Last-Modified`.
    ///   - offset: The number of bytes that the output has before, which the response must continue.
    init(
        output: (any BodyOutput)?, printer: EventPrinter?, heads: ResponseHeads?, omitsErrorBodies: Bool,
        takesRemoteTime: Bool, offset: Int64
    ) {
        self.offset = offset
        self.output = output
        self.printer = printer
        self.heads = heads
        self.omitsErrorBodies = omitsErrorBodies
        self.takesRemoteTime = takesRemoteTime
    }

    mutating func take(_ event: RequestEvent<Void>) throws(Failure) {
        do throws(SystemError) {
            try print { printer throws(SystemError) in try printer.print(event) }
            switch event {
            case .attempt: errorHead = nil
            case .chunk(let chunk): try write(chunk)
            default: break
            }
        } catch {
            throw Failure(writing: error)
        }
        if case .head(let head) = event { try begin(head) }
    }

    /// Takes a whole response, which no event announced.
    mutating func take(_ response: HTTPResponse<Data>) throws(Failure) {
        try begin(response.replacingBody(()))
        try take(.chunk(response.body))
    }

    private mutating func begin(_ head: HTTPResponse<Void>) throws(Failure) {
        pendingHead = head
        let isError = head.status.code >= 400
        errorHead = isError ? head : nil
        // The message of an error is no part of what is continued. A file stays as it is if it is still current.
        isOmitted = isError && (omitsErrorBodies || offset > 0) || head.status == .notModified && heads == nil
        isComplete = offset > 0 && head.status == .rangeNotSatisfiable
        guard offset > 0, !isError else { return }
        guard head.status == .partialContent, ContentRange(of: head)?.bounds?.lowerBound == offset else {
            let message = "the server does not continue after \(offset) bytes, as -C asks for"
            throw Failure(status: .rangeFailed, kind: "transfer.unexpected-range", message: message)
        }
    }

    private mutating func write(_ chunk: Data) throws(SystemError) {
        bytes += Int64(chunk.count)
        guard !isOmitted else { return }
        try beginOutput()
        try output?.write(chunk)
    }

    /// Begins the output with the heads of the response. It is certain by then that the response will not be retried.
    private mutating func beginOutput() throws(SystemError) {
        guard let head = pendingHead.take() else { return }
        try output?.begin(head)
        if let heads { try output?.write(heads.data(of: head)) }
    }

    /// Completes the output, and then prints the end of the request.
    ///
    /// - Parameter failure: The failure of an error's body; `nil` if the body is complete.
    mutating func finish(_ response: HTTPResponse<Void>, failure: Failure?) throws(Failure) {
        do throws(SystemError) {
            if isOmitted {
                output?.discard()
            } else {
                try beginOutput()
                try output?.commit()
                if takesRemoteTime, let time = response.modificationTime { try output?.filePath?.setTime(time) }
            }
            try print { [bytes] printer throws(SystemError) in
                if let failure { return try printer.failed(failure) }
                try printer.finished(response.status, bytes: bytes)
            }
        } catch {
            throw Failure(writing: error)
        }
    }

    /// Prints an event. If the reader of the events has closed its end, no more events are printed; the request only
    /// fails if there is no other output.
    private mutating func print(_ event: (EventPrinter) throws(SystemError) -> Void) throws(SystemError) {
        guard let printer else { return }
        do throws(SystemError) {
            try event(printer)
        } catch {
            guard error.isClosedPipe, output != nil else { throw error }
            self.printer = nil
        }
    }
}
