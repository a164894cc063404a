/// The events that a series has yet to deliver, and its completion, which follows them.
struct SeriesOutput<Event> {
    /// The number of events that the subscriber has requested and not received.
    var demand = Subscribers.Demand.none
    private var first: Event?
    /// The events behind the first one. Most series have one event at a time, which costs less without an array.
    private var others: [Event] = []
    private var completion: Subscribers.Completion<HTTPError>?

    /// Whether neither an event nor the completion is to be delivered.
    var isEmpty: Bool { first == nil && completion == nil }
    /// Whether the completion is set. Events before it may still await demand.
    var isOver: Bool { completion != nil }
    /// The last event.
    var last: Event? { others.last ?? first }

    mutating func append(_ event: consuming Event) {
        if first == nil { first = event } else { others.append(event) }
    }

    mutating func removeLast() {
        if others.popLast() == nil { first = nil }
    }

    mutating func removeAll() {
        first = nil
        others = []
    }

    /// Completes the series after its events.
    mutating func complete(_ completion: Subscribers.Completion<HTTPError>) {
        self.completion = completion
    }

    /// Completes the series instead of delivering its events.
    mutating func end(_ completion: Subscribers.Completion<HTTPError>) {
        removeAll()
        complete(completion)
    }

    /// Takes the next event off, and its demand; `nil` if there is no event or no demand.
    mutating func next() -> Event? {
        guard demand > .none, let event = first.take() else { return nil }
        demand -= 1
        if !others.isEmpty { first = others.removeFirst() }
        return event
    }

    /// The completion, which needs no demand; `nil` while there are events before it.
    var nextCompletion: Subscribers.Completion<HTTPError>? { first == nil ? completion : nil }
}
