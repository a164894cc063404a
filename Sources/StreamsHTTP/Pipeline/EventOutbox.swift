/// Events on their way to a subscriber: in order, as many as were asked for, progress conflated.
struct EventOutbox {
    /// What to do next.
    enum Delivery {
        case event(RequestEvent<Data>)
        case completion(Subscribers.Completion<HTTPError>)
    }

    /// What comes in here at all.
    let interest: EventInterest
    private var demand = Subscribers.Demand.none
    /// What has been delivered is gone, also where its place is still there.
    private var events: [RequestEvent<Data>?] = []
    private var first = 0
    /// How many of the events that wait are other than chunks.
    private var stepCount = 0
    /// How many attempts' ends are among them.
    private var retryCount = 0
    private var upload: TransferProgress?
    private var download: TransferProgress?
    /// What the stream comes to, behind all other events.
    private var response: HTTPResponse<Data>?
    private var completion: Subscribers.Completion<HTTPError>?
    private var hasJustDeliveredChunk = false

    init(_ interest: EventInterest) {
        self.interest = interest
    }

    mutating func request(_ demand: Subscribers.Demand) {
        self.demand += demand
    }

    /// Ends the stream with a response, behind what is in it.
    mutating func complete(with response: HTTPResponse<Data>) {
        flushProgress()
        self.response = response
        completion = .finished
    }

    /// Appends what happens on the way to a response, behind the progress before it.
    mutating func append(step: @autoclosure () -> RequestEvent<Data>) {
        guard takesProgress else { return }
        flushProgress()
        if interest == .everything { append(step()) }
    }

    /// Appends a chunk. Progress that waits keeps waiting, so that a slow subscriber gets the newest.
    mutating func append(chunk: Data) {
        events.append(.chunk(chunk))
    }

    /// Whether progress is worth working out.
    var takesProgress: Bool { interest != .answer }

    mutating func set(upload progress: TransferProgress) {
        guard takesProgress else { return }
        upload = progress
    }

    mutating func set(download progress: TransferProgress) {
        guard takesProgress else { return }
        download = progress
    }

    /// Ends the stream behind what is in it.
    mutating func complete(_ completion: Subscribers.Completion<HTTPError>) {
        flushProgress()
        self.completion = completion
    }

    /// The bytes of chunks that wait.
    var chunkBytes: Int {
        events[first...].reduce(0) { count, event in
            if case .chunk(let chunk) = event { count + chunk.count } else { count }
        }
    }

    /// Whether what waits ends with more than one attempt: nobody has asked for the end of the one before the last.
    var isBehind: Bool { retryCount > 1 }

    private mutating func flushProgress() {
        if let progress = upload.take() { append(.uploadProgress(progress)) }
        if let progress = download.take() { append(.downloadProgress(progress)) }
    }

    /// Appends anything but a chunk.
    private mutating func append(_ event: RequestEvent<Data>) {
        events.append(event)
        stepCount += 1
        if case .retrying = event { retryCount += 1 }
    }

    /// Whether ``next()`` would return something.
    var isReady: Bool {
        isEmpty ? completion != nil : demand > .none
    }

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
        // Between two chunks progress gets its turn, however many of them wait; not before the end of another attempt.
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
        } else if first > 32 {
            events.removeFirst(first)
            first = 0
        }
        return event
    }
}
