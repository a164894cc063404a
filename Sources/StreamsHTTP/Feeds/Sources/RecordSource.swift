/// A feed of records that are decoded one by one, such as lines of JSON.
struct RecordSource<Records: Framing, Element: Sendable>: FeedSource where Records.Element == Data {
    static var connection: FeedConnection { .stream }

    private let firstRequest: HTTPRequest
    private let cursor: Feed<Element>.Cursor?
    private let options: FeedOptions
    private let emptyFraming: Records
    private let decode: @Sendable (Data) throws -> Element
    private(set) var position: String?
    private var framing: Records
    private var response: HTTPResponse<Void>?
    private var gap: FeedGap?
    /// Whether the latest request resumes at the position.
    private var isResuming = false
    /// Whether the body has ended, so that a record left is one without its end.
    private var hasEnded = false
    /// Whether the end of the body has cut off a record.
    private var isCutOff = false

    init(
        _ request: HTTPRequest, framing: Records, cursor: Feed<Element>.Cursor?, options: FeedOptions,
        decode: @escaping @Sendable (Data) throws -> Element
    ) {
        firstRequest = request
        self.cursor = cursor
        self.options = options
        emptyFraming = framing
        self.framing = framing
        self.decode = decode
        position = cursor?.start
    }

    mutating func request(now: Duration) -> HTTPRequest {
        isResuming = false
        guard let cursor, let position,
            let request = firstRequest.resuming({ cursor.resume($0, position) })
        else { return firstRequest }
        isResuming = true
        return request
    }

    mutating func open(_ head: HTTPResponse<Void>) -> Bool {
        if !isResuming, response != nil || position != nil { gap = .notResumable }
        response = head
        framing = emptyFraming
        hasEnded = false
        isCutOff = false
        return head.status != .noContent
    }

    mutating func receive(_ chunk: Data) {
        framing.append(chunk)
    }

    mutating func next() throws(HTTPError.Reason) -> FeedItem<Element>? {
        if let gap = gap.take() { return .gap(gap) }
        while let record = try framing.nextItem() {
            // Servers send blank lines to keep a connection alive.
            guard !record.isEmpty else { continue }
            if hasEnded, !isComplete(record) {
                isCutOff = true
                return nil
            }
            let element: Element
            do {
                element = try decode(record)
            } catch {
                return try gap(after: error, record, in: response, options.undecodableElements)
            }
            guard let position = cursor?.position(element) else { return .element(element, nil) }
            self.position = position
            return .element(element, ElementIdentity(id: position, content: .record(record)))
        }
        return nil
    }

    mutating func end(_ response: HTTPResponse<Data>, now: Duration) {
        framing.finish()
        hasEnded = true
    }

    func continuation() -> FeedContinuation {
        if isCutOff { return .breakOff }
        return response?.status == .noContent ? .finish : .reconnect
    }

    /// Whether the last record lacks nothing but its line break.
    ///
    /// Of a body that the end of the connection delimits, the rest may be missing (RFC 9112, section 8).
    private func isComplete(_ record: Data) -> Bool {
        response?.hasDelimitedBody == true && (try? decode(record)) != nil
    }

    mutating func startOver(after error: HTTPError) -> FeedGap? {
        guard isResuming, let gap = FeedGap(ofRefusedPosition: error) else { return nil }
        position = nil
        // The next connection is like the first one: this gap is reported once.
        response = nil
        return gap
    }
}

extension HTTPResponse {
    /// Whether the message tells where the body ends, so that a body that is cut off is an error (RFC 9112, section
    /// 6.3).
    fileprivate var hasDelimitedBody: Bool {
        version.major > 1 || receivedHeaders.contains("Transfer-Encoding") || receivedHeaders.contains("Content-Length")
    }
}
