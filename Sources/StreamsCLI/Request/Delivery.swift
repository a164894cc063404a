import StreamsHTTP

/// Takes a request's events to where they are wanted: pieces of the body to its output, and all of them to the
/// printer of events.
struct Delivery {
    private let output: (any BodyOutput)?
    private let printer: EventPrinter?
    /// How much of the body has come, decoded.
    private(set) var bytes: Int64 = 0

    init(output: (any BodyOutput)?, printer: EventPrinter?) {
        self.output = output
        self.printer = printer
    }

    mutating func take(_ event: RequestEvent<Void>) throws(Failure) {
        do throws(SystemError) {
            try printer?.print(event)
            if case .chunk(let chunk) = event {
                bytes += Int64(chunk.count)
                try output?.write(chunk)
            }
        } catch {
            throw Failure(writing: error)
        }
    }

    /// Completes the body, and only then says that it is complete.
    func finish(_ response: HTTPResponse<Void>) throws(Failure) {
        do throws(SystemError) {
            try output?.commit()
            try printer?.finished(response.status, bytes: bytes)
        } catch {
            throw Failure(writing: error)
        }
    }
}
