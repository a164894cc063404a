import StreamsHTTP

/// Passes a request's events on: the body to its output, and every event to the printer of events.
struct Delivery {
    private let output: (any BodyOutput)?
    private var printer: EventPrinter?
    private let heads: ResponseHeads?
    private let omitsErrorBodies: Bool
    /// The head of the response that is being received, until something of the response is written.
    private var pendingHead: HTTPResponse<Void>?
    /// Whether the response is an error that is not written.
    private var isOmitted = false
    /// The number of bytes of the body that were received, decoded.
    private(set) var bytes: Int64 = 0

    /// Creates a delivery.
    ///
    /// - Parameters:
    ///   - output: The output of the body; `nil` for none.
    ///   - printer: The printer of events; `nil` for none.
    ///   - heads: The heads to write before the body; `nil` for none.
    ///   - omitsErrorBodies: Whether the body of a response with status 400 or above is not written.
    init(
        output: (any BodyOutput)?, printer: EventPrinter?, heads: ResponseHeads?, omitsErrorBodies: Bool
    ) {
        self.output = output
        self.printer = printer
        self.heads = heads
        self.omitsErrorBodies = omitsErrorBodies
    }

    mutating func take(_ event: RequestEvent<Void>) throws(Failure) {
        do throws(SystemError) {
            try print { printer throws(SystemError) in try printer.print(event) }
            switch event {
            case .head(let head): begin(head)
            case .chunk(let chunk): try write(chunk)
            default: break
            }
        } catch {
            throw Failure(writing: error)
        }
    }

    /// Takes a whole response, which no event announced.
    mutating func take(_ response: HTTPResponse<Data>) throws(Failure) {
        begin(response.replacingBody(()))
        try take(.chunk(response.body))
    }

    private mutating func begin(_ head: HTTPResponse<Void>) {
        pendingHead = head
        isOmitted = omitsErrorBodies && head.status.code >= 400
    }

    private mutating func write(_ chunk: Data) throws(SystemError) {
        bytes += Int64(chunk.count)
        guard !isOmitted else { return }
        try writeHead()
        try output?.write(chunk)
    }

    /// Writes the heads of the response. It is certain by then that the response will not be retried.
    private mutating func writeHead() throws(SystemError) {
        guard let heads, let head = pendingHead.take() else { return }
        try output?.write(heads.data(of: head))
    }

    /// Completes the body, and then prints that it is complete.
    mutating func finish(_ response: HTTPResponse<Void>) throws(Failure) {
        do throws(SystemError) {
            if isOmitted {
                output?.discard()
            } else {
                try writeHead()
                try output?.commit()
            }
            try print { [bytes] printer throws(SystemError) in try printer.finished(response.status, bytes: bytes) }
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
