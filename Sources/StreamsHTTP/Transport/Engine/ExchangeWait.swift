#if canImport(CLibcurl)
import Synchronization

/// The place where an exchange waits for its connection, and the time at which it began to wait there.
///
/// The engine's thread writes it, and any thread reads it.
struct ExchangeWait: ~Copyable, Sendable {
    enum Place: UInt64 {
        case connection = 1
        case turnToOpen
        case nameLookup
        case descriptor
    }

    /// The place in the three lowest bits, and above them the age of the exchange in nanoseconds at the beginning of
    /// the wait; zero if the exchange does not wait.
    private let word = Atomic<UInt64>(0)

    /// Whether the exchange waits at a place.
    func isWait(for place: Place) -> Bool { word.load(ordering: .relaxed) & 7 == place.rawValue }

    /// Begins to wait at a place, unless the exchange does so already.
    func begin(_ place: Place, age: Duration) {
        guard !isWait(for: place) else { return }
        word.store(UInt64(max(age.wholeNanoseconds, 0)) << 3 | place.rawValue, ordering: .relaxed)
    }

    func end() {
        if word.load(ordering: .relaxed) != 0 { word.store(0, ordering: .relaxed) }
    }

    /// Returns the wait; `nil` if the exchange does not wait.
    func value(age: @autoclosure () -> Duration) -> HTTPRequest.Wait? {
        let word = word.load(ordering: .relaxed)
        let place: HTTPRequest.Wait.Place
        switch Place(rawValue: word & 7) {
        case .connection: place = .connection
        case .turnToOpen: place = .turnToOpen
        case .nameLookup: place = .nameLookup
        case .descriptor: place = .descriptor
        case nil: return nil
        }
        return HTTPRequest.Wait(place, elapsed: max(age() - .nanoseconds(Int64(word >> 3)), .zero))
    }
}

extension Exchange {
    /// The wait for a connection; `nil` if the exchange does not wait. Can be called from any thread.
    var wait: HTTPRequest.Wait? { connectionWait.value(age: .now - startTime) }

    func beginWait(_ place: ExchangeWait.Place, now: MonotonicTime) {
        if !connectionWait.isWait(for: place) { endWait() }
        connectionWait.begin(place, age: now - startTime)
    }

    /// Ends the wait, if there is one, and adds it to the metrics.
    func endWait() {
        if request.wantsMetrics, let wait { waits.add(wait) }
        connectionWait.end()
    }

    /// The waits so far, for the metrics.
    var measuredWaits: [HTTPRequest.Wait] {
        var waits = waits
        if let wait { waits.add(wait) }
        return waits
    }

    /// Returns the failure of the exchange by a timeout, which says where it waited.
    func failure(by timeout: HTTPError.Timeout) -> TransportFailure {
        TransportFailure(.timeout(timeout.during(wait)))
    }
}

extension [HTTPRequest.Wait] {
    /// Adds a wait to the earlier one at the same place, if there is one: an opening without a descriptor is tried again
    /// and again.
    fileprivate mutating func add(_ wait: HTTPRequest.Wait) {
        guard let index = firstIndex(where: { $0.place == wait.place }) else { return append(wait) }
        self[index] = HTTPRequest.Wait(wait.place, elapsed: self[index].elapsed + wait.elapsed)
    }
}
#endif
