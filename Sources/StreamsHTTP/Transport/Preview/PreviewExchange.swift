import Dispatch

/// An exchange that delivers the events of a preview, serially and under demand, until it is aborted.
final class PreviewExchange: TransportExchange {
    private struct State {
        var window: Int
        var events: ArraySlice<TransportEvent> = []
        var isDelivering = false
        var isAborted = false

        /// Returns the next event to deliver; `nil` if there is none, if another thread delivers one, or if the window
        /// is used up.
        mutating func nextEvent() -> TransportEvent? {
            guard !isDelivering, let event = events.first else { return nil }
            if case .chunk(let chunk, _) = event {
                guard window > 0 else { return nil }
                window -= chunk.count
            }
            isDelivering = true
            return events.removeFirst()
        }
    }

    private let receiver: any TransportReceiver
    private let state: Locked<State>

    /// Creates an exchange without events.
    init(window: Int, receiver: any TransportReceiver) {
        self.receiver = receiver
        state = Locked(State(window: window))
    }

    /// Makes the events on a system thread, because a store may read files, and delivers them.
    func start(_ makeEvents: @escaping @Sendable () -> [TransportEvent]) {
        DispatchQueue.global().async { [self] in
            let events = makeEvents()
            state.withLock { if !$0.isAborted { $0.events = events[...] } }
            deliver()
        }
    }

    func allow(bytes: Int) {
        state.withLock { state in
            let (sum, isTooLarge) = state.window.addingReportingOverflow(bytes)
            state.window = isTooLarge ? .max : sum
        }
        deliver()
    }

    func abort() {
        let events = state.withLock { state in
            state.isAborted = true
            defer { state.events = [] }
            return state.events
        }
        withExtendedLifetime(events) {}
    }

    private func deliver() {
        while let event = state.withLock({ $0.nextEvent() }) {
            receiver.receive(event)
            state.withLock { $0.isDelivering = false }
        }
    }
}
