/// The file of one download and the requests that complete it, without threads, retries or demand.
final class DownloadTransfer {
    /// The use of a response.
    enum Opening {
        /// The response is the whole representation, and replaces what there was, for a reason if there was something.
        case whole(Download.Restart?)
        /// The response continues the file at an offset.
        case rest(from: Int64)
        /// The response is of no use, and another request is needed.
        case none(Download.Restart)
    }

    private let request: HTTPRequest
    private let url: String
    private let path: String
    private let options: Download.Options
    private let maxSize: Int64?
    private var file: PartialFile?
    /// The record of the file's contents; `nil` if they cannot be resumed.
    private var record: DownloadRecord?
    private var verification: DigestVerification?
    /// The offset that the last request asks for; `nil` if it asks for the whole representation.
    private var requestedOffset: Int64?
    /// The offset of the content of the response under way.
    private var responseOffset: Int64 = 0
    /// The offset at which the response under way has to end; `nil` if it is unknown.
    private var end: Int64?
    /// The bytes that this call has received.
    private var received: Int64 = 0

    /// Creates the transfer of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - url: The resolved URL.
    ///   - path: The path of the complete file.
    ///   - options: The options of the download.
    ///   - maxSize: The maximum size of the file.
    init(_ request: HTTPRequest, url: String, to path: String, _ options: Download.Options, maxSize: Int?) {
        self.request = request
        self.url = url
        self.path = path
        self.options = options
        self.maxSize = maxSize.map(Int64.init)
    }

    /// The progress of the file.
    var progress: TransferProgress { TransferProgress(completed: file?.size ?? 0, total: record?.total) }
}

// MARK: Requests

extension DownloadTransfer {
    /// Opens the partial file, unless it is open.
    ///
    /// - Returns: The reason why its contents cannot be resumed; `nil` if they can, or if there are none.
    func open() throws(HTTPError.Reason) -> Download.Restart? {
        guard file == nil else { return nil }
        for name in ["Range", "If-Range"] where request.headers.contains(name) {
            throw .invalidRequest(.framingHeader(name))
        }
        let file = try PartialFile(for: path)
        self.file = file
        guard file.size > 0 else { return nil }
        guard let record = file.record, record.isUsable(for: url) else { return .unknownContents }
        guard record.validator != nil else { return .notResumable }
        guard file.size <= record.total ?? .max else { return .unknownContents }
        self.record = record
        return nil
    }

    /// Returns the request for what is missing.
    func nextRequest() -> HTTPRequest {
        var request = request
        // Offsets count the bytes of one coding, and a server may encode each response anew.
        request.headers.set("Accept-Encoding", "identity")
        requestedOffset = nil
        guard let file, file.size > 0, let validator = record?.validator else { return request }
        requestedOffset = file.size
        request.headers.set("Range", "bytes=\(file.size)-")
        request.headers.set(HTTPHeaders.Field(name: "If-Range", text: validator.condition))
        return request
    }
}

// MARK: Responses

extension DownloadTransfer {
    /// Begins to read a response that is not an error.
    func receive(_ head: HTTPResponse<Void>) throws(HTTPError.Reason) -> Opening {
        guard let file else { throw .cancelled }
        if head.status == .partialContent { return try receivePart(head, file) }
        let restart = restart(by: head, file)
        let record = DownloadRecord(head, to: request.method, url: url)
        if let maxSize, record.total ?? 0 > maxSize { throw .transfer(.bodyTooLarge(limit: Int(maxSize))) }
        try file.startOver(record)
        verification = try DigestVerification(options.checksum, head.headers, resuming: file)
        self.record = record
        responseOffset = 0
        end = record.total
        return .whole(restart)
    }

    /// Returns the reason why a whole response replaces the contents; `nil` if there are none, or if the reason has
    /// been told before.
    private func restart(by head: HTTPResponse<Void>, _ file: PartialFile) -> Download.Restart? {
        guard file.size > 0, let record else { return nil }
        guard let validator = record.validator else { return .notResumable }
        return validator.isValidator(of: head) ? .rangeIgnored : .changed
    }

    private func receivePart(_ head: HTTPResponse<Void>, _ file: PartialFile) throws(HTTPError.Reason) -> Opening {
        guard let requestedOffset else { throw .transfer(.unexpectedRange) }
        guard let range = record?.continuation(in: head, at: requestedOffset) else {
            record = nil
            return .none(.rangeMismatch)
        }
        verification = try DigestVerification(options.checksum, head.headers, resuming: file)
        responseOffset = requestedOffset
        end = range.upperBound + 1
        return .rest(from: requestedOffset)
    }

    /// Returns the use of a response that is an error; `nil` if it has none.
    func receive(error head: HTTPResponse<Void>) throws(HTTPError.Reason) -> Opening? {
        guard head.status == .rangeNotSatisfiable, let file, let requestedOffset else { return nil }
        guard let record, record.isComplete(by: head, at: requestedOffset) else {
            record = nil
            return .none(.rangeMismatch)
        }
        verification = try DigestVerification(options.checksum, nil, resuming: file)
        self.record?.total = requestedOffset
        responseOffset = requestedOffset
        return .rest(from: requestedOffset)
    }

    /// Writes a piece of the content of the response under way.
    func receive(_ chunk: Data) throws(HTTPError.Reason) {
        guard let file else { return }
        let size = file.size + Int64(chunk.count)
        if let maxSize, size > maxSize { throw .transfer(.bodyTooLarge(limit: Int(maxSize))) }
        guard size <= end ?? .max else {
            // The response is not what its head says, so no part of the file can be trusted.
            record = nil
            try file.truncate()
            throw .transfer(.unexpectedRange)
        }
        received += Int64(chunk.count)
        try file.append(chunk)
        verification?.update(chunk)
    }

    /// Verifies the file after the last response, and gives it its name.
    func finish(_ response: HTTPResponse<Void>) throws(HTTPError.Reason) -> Download.File {
        guard let file else { throw .cancelled }
        guard file.size == record?.total ?? file.size else { throw .transfer(.bodyEndedEarly) }
        // The content of an error is no part of the file, and so are its digests.
        let trailers = response.status.isSuccess ? response.trailers : [:]
        if let mismatch = try verification?.mismatch(in: file, trailers, from: responseOffset) {
            file.discard()
            self.file = nil
            throw .transfer(.checksumMismatch(expected: mismatch))
        }
        try file.commit(permissions: options.permissions)
        self.file = nil
        return Download.File(
            path: path, size: file.size, receivedBytes: received, isVerified: verification?.isVerifying ?? false,
            response: response)
    }

    /// Closes the file, which can be resumed. An empty one is removed.
    func close() {
        if let file, file.size == 0 { file.discard() }
        file = nil
    }
}
