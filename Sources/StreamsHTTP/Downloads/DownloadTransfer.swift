/// The file of one download and the requests that complete it, without threads, retries or demand.
final class DownloadTransfer {
    /// The use of a response.
    enum Opening {
        /// The response is the whole representation, and replaces what there was, for a reason if there was something.
        case whole(Download.Restart?)
        /// The response continues the file at an offset.
        case rest(from: Int64)
        /// The complete file that there was has the contents of the representation.
        case complete
        /// The response is of no use, and another request is needed.
        case none(Download.Restart)
    }

    private let request: HTTPRequest
    private let url: String
    private let path: String
    private let options: DownloadOptions
    private let maxSize: Int64?
    /// Runs work on a thread of the system's.
    private let run: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Called by a thread of the system's when a verification has ended.
    private var onVerification: @Sendable () -> Void = {}
    private var file: PartialFile?
    /// The file at the path, which may be complete already; `nil` if it is to be replaced.
    private var existing: CompleteFile?
    private var hasLookedForExisting = false
    /// The record of the file's contents, or else of the existing file's; `nil` if they cannot be resumed.
    private var record: DownloadRecord?
    private var verification: DigestVerification?
    /// The offset that the last request asks for; `nil` if it asks for the whole representation.
    private var requestedOffset: Int64?
    /// Whether the last request asks for a representation with another entity tag only.
    private var isConditional = false
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
    ///   - run: Runs work on a thread of the system's.
    init(
        _ request: HTTPRequest, url: String, to path: String, _ options: DownloadOptions, maxSize: Int?,
        run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.run = run
        self.request = request
        self.url = url
        self.path = path
        self.options = options
        self.maxSize = maxSize.map(Int64.init)
    }

    /// The progress of the file.
    var progress: TransferProgress { TransferProgress(completed: size, total: existing?.size ?? record?.total) }

    /// The number of bytes that there are.
    private var size: Int64 { existing?.size ?? file?.size ?? 0 }

    /// Sets a closure that a thread of the system's calls when a verification has ended.
    func notify(_ onVerification: @escaping @Sendable () -> Void) {
        self.onVerification = onVerification
    }
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
        guard file.size > 0 else {
            lookForExisting()
            return nil
        }
        guard let record = file.record, record.isUsable(for: url), request.method == .get else {
            return .unknownContents
        }
        guard record.validator != nil else { return .notResumable }
        guard file.size <= record.total ?? .max else { return .unknownContents }
        self.record = record
        return nil
    }

    /// Looks for a complete file, once. A checksum decides; without one, the server is asked by the file's record.
    private func lookForExisting() {
        guard !hasLookedForExisting else { return }
        hasLookedForExisting = true
        guard request.method == .get, let existing = CompleteFile(at: path), existing.size <= maxSize ?? .max else {
            return
        }
        if let checksum = options.checksum {
            self.existing = existing
            verify(existing.file) { $0.expect(checksum, [:], from: 0) }.end(at: existing.size)
        } else if let record = existing.record, record.isUsable(for: url) {
            self.existing = existing
            self.record = record
        }
    }

    /// Returns whether the existing file has the expected checksum; `nil` until that is known. It is `false` without a
    /// checksum.
    func existingIsVerified() -> Bool? {
        guard let existing, let verification else { return false }
        var outcome: DigestVerification.Outcome?
        // A file that cannot be read is replaced.
        do throws(FileError) { outcome = try verification.outcome() } catch { self.existing = nil }
        guard let outcome else { return self.existing == nil ? false : nil }
        if case .verified = outcome, existing.isUnchanged { return true }
        self.existing = nil
        return false
    }

    /// Returns the request for what is missing.
    func nextRequest() -> HTTPRequest {
        var request = request
        // Offsets count the bytes of one coding, and a server may encode each response anew.
        request.headers.set("Accept-Encoding", "identity")
        (requestedOffset, isConditional) = (nil, false)
        guard let validator = record?.validator else { return request }
        if size > 0 {
            requestedOffset = size
            request.headers.set("Range", "bytes=\(size)-")
            request.headers.set(HTTPHeaders.Field(name: "If-Range", text: validator.condition))
        }
        // Of a date, unlike of a tag, servers say whether there is a later one, not whether there is another.
        if existing != nil, case .entityTag(let tag) = validator, !request.headers.contains("If-None-Match") {
            isConditional = true
            request.headers.set(HTTPHeaders.Field(name: "If-None-Match", text: tag))
        }
        return request
    }
}

// MARK: Responses

extension DownloadTransfer {
    /// Begins to read a response that is not an error.
    func receive(_ head: HTTPResponse<Void>) throws(HTTPError.Reason) -> Opening {
        guard let file else { throw .cancelled }
        if head.status == .partialContent { return try receivePart(head, file) }
        // A server that ignores the conditions.
        if let existing, record?.isUnchanged(by: head, url: url) == true, existing.isUnchanged { return .complete }
        let restart = restart(by: head)
        existing = nil
        let record = DownloadRecord(head, to: request.method, url: url)
        if let maxSize, record.total ?? 0 > maxSize { throw .transfer(.bodyTooLarge(limit: Int(maxSize))) }
        try file.startOver(record)
        verify(file.file) { $0.expect(options.checksum, head.headers, from: 0) }
        self.record = record
        responseOffset = 0
        end = record.total
        return .whole(restart)
    }

    /// Returns the reason why a whole response replaces the contents; `nil` if there are none, or if the reason has
    /// been told before.
    private func restart(by head: HTTPResponse<Void>) -> Download.Restart? {
        guard size > 0, let record else { return nil }
        guard let validator = record.validator else { return .notResumable }
        return validator.isValidator(of: head) ? .rangeIgnored : .changed
    }

    private func receivePart(_ head: HTTPResponse<Void>, _ file: PartialFile) throws(HTTPError.Reason) -> Opening {
        guard let requestedOffset else { throw .transfer(.unexpectedRange) }
        guard let range = record?.continuation(in: head, at: requestedOffset) else {
            return startOver(.rangeMismatch)
        }
        continueVerification(of: file, head.headers)
        responseOffset = requestedOffset
        end = range.upperBound + 1
        return .rest(from: requestedOffset)
    }

    /// Requests the whole representation next.
    private func startOver(_ restart: Download.Restart) -> Opening {
        (record, existing) = (nil, nil)
        return .none(restart)
    }

    /// Returns the use of a response that is an error; `nil` if it has none.
    func receive(error head: HTTPResponse<Void>) -> Opening? {
        if head.status == .notModified, isConditional {
            guard let record, record.isUnchanged(by: head, url: url) else { return startOver(.changed) }
            return existing?.isUnchanged == true ? .complete : startOver(.unknownContents)
        }
        guard head.status == .rangeNotSatisfiable, let file, let requestedOffset else { return nil }
        guard let record, record.isComplete(by: head, at: requestedOffset) else { return startOver(.rangeMismatch) }
        if let existing { return existing.isUnchanged ? .complete : startOver(.unknownContents) }
        // The content of an error is no part of the file, and so are its digests.
        continueVerification(of: file, [:])
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
            endVerification()
            try file.truncate()
            throw .transfer(.unexpectedRange)
        }
        received += Int64(chunk.count)
        // Also of a piece that could not be written as a whole.
        defer { verification?.advance(to: file.size) }
        try file.append(chunk)
    }

    /// Begins to verify the file after the last response.
    func end(_ response: HTTPResponse<Void>) throws(HTTPError.Reason) {
        guard let file else { throw .cancelled }
        guard file.size == record?.total ?? file.size else { throw .transfer(.bodyEndedEarly) }
        let trailers = response.status.isSuccess ? response.trailers : [:]
        verification?.end(at: file.size, trailers, from: responseOffset)
    }

    /// Gives the file its name, if it is verified.
    ///
    /// - Returns: `nil` while it is being verified.
    func finish(_ response: HTTPResponse<Void>) throws(HTTPError.Reason) -> Download.File? {
        guard let file, let verification else { throw .cancelled }
        let outcome: DigestVerification.Outcome?
        do throws(FileError) { outcome = try verification.outcome() } catch { throw error.reason }
        guard let outcome else { return nil }
        if case .mismatch(let expected) = outcome {
            endVerification()
            file.discard()
            self.file = nil
            throw .transfer(.checksumMismatch(expected: expected))
        }
        try file.commit(permissions: options.permissions, record)
        self.file = nil
        return result(file.size, response, isVerified: verification.isVerifying)
    }

    /// Leaves the existing file as it is.
    ///
    /// - Parameter response: The response by which it is complete; `nil` if it has the expected checksum.
    func keepExisting(_ response: HTTPResponse<Void>?) throws(HTTPError.Reason) -> Download.File {
        guard let file, let existing else { throw .cancelled }
        do throws(FileError) { try existing.setPermissions(options.permissions) } catch { throw error.reason }
        file.discard()
        self.file = nil
        return result(existing.size, response, isVerified: options.checksum != nil)
    }

    private func result(_ size: Int64, _ response: HTTPResponse<Void>?, isVerified: Bool) -> Download.File {
        Download.File(
            path: path, size: size, receivedBytes: received, wasComplete: existing != nil, isVerified: isVerified,
            response: response)
    }

    /// Closes the file, which can be resumed. An empty one is removed.
    func close() {
        endVerification()
        if let file, file.size == 0 { file.discard() }
        file = nil
    }
}

// MARK: Verification

extension DownloadTransfer {
    /// Verifies a file in place of the one before.
    @discardableResult
    private func verify(_ file: OpenFile, _ expect: (DigestVerification) -> Void) -> DigestVerification {
        endVerification()
        let verification = DigestVerification(of: file, run: run, onEnd: onVerification)
        self.verification = verification
        expect(verification)
        return verification
    }

    /// Verifies a file that a response continues. In a later attempt, the hashes of an earlier one are continued.
    private func continueVerification(of file: PartialFile, _ headers: HTTPHeaders) {
        let verification = verification ?? verify(file.file) { _ in }
        verification.expect(options.checksum, headers, from: file.size)
        verification.advance(to: file.size)
    }

    private func endVerification() {
        verification.take()?.cancel()
    }
}
