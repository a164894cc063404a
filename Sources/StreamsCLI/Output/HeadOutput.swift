import StreamsHTTP
import Synchronization

/// The output of `-D`: the heads of all responses and their trailers, as HTTP/1.1 writes them.
///
/// A file has each of them as soon as it is received. Standard output may also have the bodies, and so is written between
/// the events of a request.
final class HeadOutput: Sendable {
    fileprivate struct State {
        var descriptor: Descriptor?
        /// The heads that standard output has not got yet.
        var pending = Data()
        /// The trailers of the last response, which follow its body.
        var pendingTrailers = Data()
        var failure: SystemError?
    }

    /// The path of the file; `nil` for standard output.
    let path: String?
    private let state = Mutex(State())

    /// Reads the value of `-D`.
    init(argument: String) {
        path = argument == "-" ? nil : argument
    }

    /// Opens the output for the first request, which replaces the content of a file. Later calls change nothing.
    ///
    /// - Parameter createsFolders: Whether missing folders are created.
    func open(createsFolders: Bool) throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            guard state.descriptor == nil else { return }
            guard let path else {
                state.descriptor = .standardOutput
                return
            }
            if createsFolders { try path.createFolders() }
            state.descriptor = try StreamOutput(continuing: path, after: 0).descriptor
        }
    }

    func append(_ head: HTTPResponse<Void>) {
        state.withLock { state in
            state.pending += state.pendingTrailers + head.bytes
            state.pendingTrailers = Data()
            if path != nil { state.writePending() }
        }
    }

    /// Appends trailers, without an empty line behind them, as curl does.
    func append(_ trailers: HTTPHeaders) {
        state.withLock { state in
            state.pendingTrailers += trailers.lines
            if path != nil { state.writeAll() }
        }
    }

    /// Writes the heads that have been received to standard output, or reports why the file could not be written.
    func flush() throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            state.writePending()
            try state.checkFailure()
        }
    }

    /// Writes the heads that have been received behind the lines that were added before.
    @MainActor
    func flush(after output: LineOutput) throws(SystemError) {
        if state.withLock({ !$0.pending.isEmpty }) { try output.flush() }
        try flush()
    }

    /// Writes what is left after the last event of a request.
    func finish() throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            state.writeAll()
            try state.checkFailure()
        }
    }
}

extension HeadOutput.State {
    fileprivate mutating func writeAll() {
        pending += pendingTrailers
        pendingTrailers = Data()
        writePending()
    }

    /// Writes the pending heads, unless an earlier failure has been kept.
    fileprivate mutating func writePending() {
        guard !pending.isEmpty, failure == nil else { return }
        do throws(SystemError) {
            try descriptor?.writeAll(pending)
        } catch {
            failure = error
        }
        pending = Data()
    }

    fileprivate func checkFailure() throws(SystemError) {
        if let failure { throw failure }
    }
}
