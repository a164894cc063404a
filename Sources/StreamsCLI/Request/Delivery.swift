import StreamsHTTP

/// Takes a request's events to where they are wanted: pieces of the body to its output, and all of them to the
/// printer of events.
struct Delivery {
    private let output: (any BodyOutput)?
    private var printer: EventPrinter?
    /// How much of the body has come, decoded.
    private(set) var bytes: Int64 = 0

    init(output: (any BodyOutput)?, printer: EventPrinter?) {
        self.output = output
        self.printer = printer
    }

    mutating func take(_ event: RequestEvent<Void>) throws(Failure) {
        do throws(SystemError) {
            try tell { printer throws(SystemError) in try printer.print(event) }
            if case .chunk(let chunk) = event {
                bytes += Int64(chunk.count)
                try output?.write(chunk)
            }
        } catch {
            throw Failure(writing: error)
        }
    }

    /// Completes the body, and only then says that it is complete.
    mutating func finish(_ response: HTTPResponse<Void>) throws(Failure) {
        do throws(SystemError) {
            try output?.commit()
            try tell { [bytes] printer throws(SystemError) in try printer.finished(response.status, bytes: bytes) }
        } catch {
            throw Failure(writing: error)
        }
    }

    /// Has something printed. A reader of the events that has gone ends the events, and the request only where they are
    /// all that is wanted of it.
    private mutating func tell(_ event: (EventPrinter) throws(SystemError) -> Void) throws(SystemError) {
        guard let printer else { return }
        do throws(SystemError) {
            try event(printer)
        } catch {
            guard error.isClosedPipe, output != nil else { throw error }
            self.printer = nil
        }
    }
}
