import Synchronization

/// A state that events change one after another, whichever threads they come from: a ``SerialDrain`` that owns what its
/// events act on.
///
/// The state can be reached only in a turn: while a thread drains. A turn decides which values to request, and they are
/// requested when the drain has been left. A source that emits from inside `request` would otherwise only fill the queue,
/// without end if it is endless. Requests that a subscriber makes while it receives a value are among them, since they
/// are events of the same drain.
///
/// Requests are sent one after another, however deep the calls nest (rule 5): the call that is sending also sends what
/// other calls have decided on meanwhile.
///
/// Without contention a turn costs two atomic operations, and sending requests two more.
@usableFromInline
struct StateDrain<State: DrainState & ~Copyable, Event>: ~Copyable {
    @usableFromInline let events = SerialDrain<Event>()
    @usableFromInline let sender = SerialDrain<LinkRequests>()
    /// Accessed by the draining thread alone. The cell is the one that `Mutex` and `Atomic` are built on: it needs neither
    /// an allocation nor checks for exclusive access.
    @usableFromInline let state: _Cell<State>

    @inlinable
    init(_ state: consuming State) {
        self.state = _Cell(state)
    }

    /// Whether a call is sending requests: one further up the stack, or one on another thread.
    @inlinable var isSending: Bool { !sender.isIdle }

    /// The place of the state, for the draining thread.
    ///
    /// It is copied to a local constant before the state is changed there: of `&address.pointee` with this property, Thread
    /// Sanitizer takes the drain for changed, and reports races with other threads that look whether it is idle.
    @inlinable var address: UnsafeMutablePointer<State> { state._address }

    /// Handles an event, now or, while another call is draining, from there. Then sends the requests.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - owner: The owner of the drain, for the closure, which captures nothing.
    ///   - handle: Called for this event and for all that came in meanwhile, outside any lock.
    @inlinable
    func submit<Owner: AnyObject>(_ event: Event, for owner: Owner, _ handle: (Owner, Event, inout State) -> Void) {
        perform({ handle(owner, event, &$0) }, orEnqueue: event, for: owner, handle)
    }

    /// Runs a closure if the drain is idle, and enqueues an event otherwise. Then sends the requests.
    ///
    /// - Parameters:
    ///   - body: Called at once if no call is draining.
    ///   - event: The event that does the same.
    ///   - link: The link to the upstream whose value is being received.
    ///   - owner: The owner of the drain, for the closure, which captures nothing.
    ///   - handle: Called for all events that came in meanwhile, outside any lock.
    /// - Returns: The demand to return to the upstream of the link.
    @inlinable
    @discardableResult
    func perform<Owner: AnyObject>(
        _ body: (inout State) -> Void, orEnqueue event: @autoclosure () -> Event, returningTo link: UpstreamLink? = nil,
        for owner: Owner, _ handle: (Owner, Event, inout State) -> Void
    ) -> Subscribers.Demand {
        if events.enter() {
            let address = self.address
            body(&address.pointee)
            return tryLeave() ? .none : leave(returningTo: link, for: owner, handle)
        }
        guard events.enqueue(event()) else { return .none }
        return leave(returningTo: link, for: owner, handle)
    }

    /// Runs a closure if the drain is idle. Then sends the requests.
    ///
    /// - Returns: The closure's result, nil if another call is draining.
    @inlinable
    func performIfIdle<Result, Owner: AnyObject>(
        _ body: (inout State) -> Result, for owner: Owner, _ handle: (Owner, Event, inout State) -> Void
    ) -> Result? {
        guard events.enter() else { return nil }
        let address = self.address
        let result = body(&address.pointee)
        if !tryLeave() { leave(returningTo: nil, for: owner, handle) }
        return result
    }

    /// Leaves the drain if there are neither requests to send nor events in the queue, as after most values.
    @inlinable
    func tryLeave() -> Bool {
        let address = self.address
        return address.pointee.requests.isEmpty && events.tryLeave()
    }

    /// Handles the events in the queue until it is empty, leaves the drain, and sends the requests.
    ///
    /// - Returns: The demand to return to the upstream of the link.
    // Out of line, as the turns that `tryLeave()` ends are faster without it.
    @inlinable
    @inline(never)
    @discardableResult
    func leave<Owner: AnyObject>(
        returningTo link: UpstreamLink?, for owner: Owner, _ handle: (Owner, Event, inout State) -> Void
    ) -> Subscribers.Demand {
        let address = self.address
        var batch: [Event] = []
        // Taken before the drain is left, since from then on the state belongs to another thread.
        var requests = address.pointee.requests.take()
        while !events.tryLeave() {
            events.handleQueue(&batch) { handle(owner, $0, &address.pointee) }
            requests.append(address.pointee.requests.take())
        }
        let returned = link.map { requests.take(for: $0) } ?? .none
        if !requests.isEmpty { sender.submit(requests) { $0.send() } }
        return returned
    }

    /// Sends a request, after those that are being sent. It is called outside a turn.
    @inlinable
    func send(_ demand: Subscribers.Demand, to link: UpstreamLink) {
        var requests = LinkRequests()
        requests.add(demand, to: link)
        sender.submit(requests) { $0.send() }
    }
}

/// Whether a stream has been cancelled or completed.
///
/// It stands beside the drain of the stream's events, since a cancellation takes effect at once: a turn reads it before it
/// delivers a value.
@usableFromInline
struct EndFlag: ~Copyable {
    @usableFromInline let flag = Atomic<Bool>(false)

    @inlinable
    init() {}

    @inlinable var isSet: Bool { flag.load(ordering: .relaxed) }

    /// Ends the stream. The caller cancels the upstreams and has the state released in a turn.
    ///
    /// - Returns: Whether it was still going on.
    @inlinable
    func set() -> Bool {
        !flag.exchange(true, ordering: .acquiringAndReleasing)
    }
}

/// The state of a ``StateDrain``.
@usableFromInline
protocol DrainState: ~Copyable {
    /// The requests to send when the drain has been left.
    var requests: LinkRequests { get set }
}

/// The state of an operator that passes values on as they come, until another publisher ends the stream.
@usableFromInline
struct RelayState: DrainState {
    /// Whether the completion was delivered.
    @usableFromInline var isCompleted = false
    @usableFromInline var requests = LinkRequests()

    @inlinable
    init() {}
}

/// Requests to upstreams that a turn of a ``StateDrain`` has decided on.
@usableFromInline
struct LinkRequests {
    @usableFromInline
    struct Request {
        @usableFromInline let link: UpstreamLink
        @usableFromInline var demand: Subscribers.Demand

        @inlinable
        init(link: UpstreamLink, demand: Subscribers.Demand) {
            self.link = link
            self.demand = demand
        }

        @inlinable
        func send() {
            link.send(demand)
        }
    }

    // The first one stands apart, since most turns request of one upstream, and an array would be allocated for it.
    @usableFromInline var first: Request?
    @usableFromInline var others: [Request] = []

    @inlinable
    init() {}

    @inlinable var isEmpty: Bool { first == nil }

    /// Adds a request.
    @inlinable
    mutating func add(_ demand: Subscribers.Demand, to link: UpstreamLink) {
        if demand == .none { return }
        if first == nil {
            first = Request(link: link, demand: demand)
        } else if first?.link === link {
            first?.demand += demand
        } else {
            others.append(Request(link: link, demand: demand))
        }
    }

    /// Adds requests that were decided on later.
    @inlinable
    mutating func append(_ later: consuming LinkRequests) {
        guard let request = later.first else { return }
        add(request.demand, to: request.link)
        for request in later.others { add(request.demand, to: request.link) }
    }

    /// Removes all requests.
    ///
    /// - Returns: The requests.
    @inlinable
    mutating func take() -> LinkRequests {
        if first == nil { return LinkRequests() }
        return exchange(&self, with: LinkRequests())
    }

    /// Removes the requests to one upstream.
    ///
    /// - Returns: The sum of their demand.
    @inlinable
    mutating func take(for link: UpstreamLink) -> Subscribers.Demand {
        var demand = Subscribers.Demand.none
        for request in others where request.link === link { demand += request.demand }
        if demand > .none { others.removeAll { $0.link === link } }
        if let first, first.link === link {
            demand += first.demand
            self.first = others.popLast()
        }
        return demand
    }

    @inlinable
    func send() {
        first?.send()
        for request in others { request.send() }
    }
}
