/// A buffer of events for a subscriber: delivers them in order, within the demand, and conflates progress.
struct EventBuffer {
    /// An event or the completion.
    enum Delivery: Sendable {
        case event(RequestEvent<Data>)
        case completion(Subscribers.Completion<HTTPError>)
    }

    /// The events that the buffer accepts.
    let filter: EventFilter
    private var demand = Subscribers.Demand.none
    /// The events to deliver. A delivered event is `nil` until its element is removed.
    private var events: [RequestEvent<Data>?] = []
    private var first = 0
    /// The number of buffered events that are not chunks.
    private var stepCount = 0
    /// The number of buffered `retrying` events.
    private var retryCount = 0
    private var upload: TransferProgress?
    private var download: TransferProgress?
    /// The response, delivered after all other events.
    private var response: HTTPResponse<Data>?
    private var completion: Subscribers.Completion<HTTPError>?
    private var hasJustDeliveredChunk = false

    init(_ filter: EventFilter) {
        self.filter = filter
    }

    mutating func request(_ demand: Subscribers.Demand) {
        self.demand += demand
    }

    /// Completes the stream with a response, after the buffered events.
    mutating func complete(with response: HTTPResponse<Data>) {
        flushProgress()
        self.response = response
        completion = .finished
    }

    /// Appends an event that precedes the response, after the progress before it.
    mutating func append(step: @autoclosure () -> RequestEvent<Data>) {
        flushProgress()
        if filter == .all || filter == .content { append(step()) }
    }

    /// Appends a chunk. Pending progress stays pending, so that a slow subscriber gets the newest.
    mutating func append(chunk: Data) {
        events.append(.chunk(chunk))
    }

    /// Whether the filter accepts progress.
    var includesProgress: Bool { filter == .all || filter == .progress }

    mutating func set(upload progress: TransferProgress) {
        guard includesProgress else { return }
        upload = progress
    }

    mutating func set(download progress: TransferProgress) {
        guard includesProgress else { return }
        download = progress
    }

    /// Completes the stream after the buffered events.
    mutating func complete(_ completion: Subscribers.Completion<HTTPError>) {
        flushProgress()
        self.completion = completion
    }

    /// Whether more than one attempt ends in the buffer: the subscriber has not requested the end of the last but one.
    var hasUnrequestedRetry: Bool { retryCount > 1 }

    private mutating func flushProgress() {
        if let progress = upload.take() { append(.uploadProgress(progress)) }
        if let progress = download.take() { append(.downloadProgress(progress)) }
    }

    /// Appends an event that is not a chunk.
    private mutating func append(_ event: RequestEvent<Data>) {
        events.append(event)
        stepCount += 1
        if case .retrying = event { retryCount += 1 }
    }

    /// Whether ``next()`` returns an item.
    var isReady: Bool {
        isEmpty ? completion != nil : demand > .none
    }

    /// Whether the next delivery is the completion.
    var isAtCompletion: Bool { isEmpty && completion != nil }

    private var isEmpty: Bool {
        first == events.count && upload == nil && download == nil && response == nil
    }

    mutating func next() -> Delivery? {
        guard !isEmpty else {
            defer { completion = nil }
            return completion.map { .completion($0) }
        }
        guard demand > .none else { return nil }
        demand -= 1
        guard let event = takeNext() else { return nil }
        hasJustDeliveredChunk = if case .chunk = event { true } else { false }
        return .event(event)
    }

    private mutating func takeNext() -> RequestEvent<Data>? {
        // Progress is delivered between two chunks, however many are buffered, but not before the end of another
        // attempt.
        if let progress = download, first == events.count || (hasJustDeliveredChunk && stepCount == 0) {
            download = nil
            return .downloadProgress(progress)
        }
        if let progress = upload, first == events.count {
            upload = nil
            return .uploadProgress(progress)
        }
        if first == events.count, let response = response.take() { return .response(response) }
        let event = events[first].take()
        first += 1
        switch event {
        case .chunk: break
        case .retrying:
            stepCount -= 1
            retryCount -= 1
        default: stepCount -= 1
        }
        if first == events.count {
            events.removeAll(keepingCapacity: true)
            first = 0
        } else if first > 32, first > events.count / 2 {
            events.removeFirst(first)
            first = 0
        }
        return event
    }
}

/// The events that a subscriber uses. The others are not created.
enum EventFilter {
    case all
    /// All but progress.
    case content
    /// Progress, the response and the completion.
    case progress
    /// The response and the completion.
    case response
}
