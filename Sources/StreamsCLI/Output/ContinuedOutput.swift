import StreamsHTTP

/// A file that is continued, as by `-C`. What a failure leaves stays.
final class ContinuedOutput: BodyOutput {
    private let path: String
    private let offset: Int64
    private var output: StreamOutput?

    init(_ path: String, after offset: Int64) {
        self.path = path
        self.offset = offset
    }

    var filePath: String? { path }

    func begin(_ head: HTTPResponse<Void>) throws(SystemError) {
        output = try StreamOutput(continuing: path, after: offset)
    }

    func write(_ chunk: Data) throws(SystemError) {
        try output?.write(chunk)
    }

    func commit() throws(SystemError) {
        guard let output else { return }
        guard fsync(output.descriptor.number) == 0 || errno == EINVAL else {
            throw SystemError(action: "cannot write \(path)", code: errno)
        }
    }

    func discard() {}
}
