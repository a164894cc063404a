/// Which handler answers what.
final class RouteTable: Sendable {
    struct Route: Sendable {
        let intake: Intake
        let handler: @Sendable (RecordedRequest) -> Reply
    }

    private struct Key: Hashable {
        let method: String
        let path: String
    }

    private struct Entry {
        let route: Route
        var turns = 0
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var fallback = Entry(route: Route(intake: .atOnce) { _ in .text("no such route\n", status: 404) })
    }

    private let state = Locked(State())

    func set(_ route: Route, method: String, path: String) {
        let key = Key(method: method, path: path)
        // The route replaced leaves the lock before its closure is released.
        let replaced = state.withLock { $0.entries.updateValue(Entry(route: route), forKey: key) }
        _ = replaced
    }

    func setFallback(_ route: Route) {
        let replaced = state.withLock { state in
            let replaced = state.fallback
            state.fallback = Entry(route: route)
            return replaced
        }
        _ = replaced
    }

    /// Forgets every route, so that handlers which hold their server let go of it.
    func removeAll() {
        let removed = state.withLock { state in
            let removed = state
            state = State()
            return removed
        }
        _ = removed
    }

    /// The route for a request, and how many requests it has now had. HEAD is answered by a GET route where it has none
    /// of its own.
    func next(method: String, path: String) -> (route: Route, turn: Int) {
        state.withLock { state in
            let candidates = method == "HEAD" ? ["HEAD", "GET"] : [method]
            for candidate in candidates {
                let key = Key(method: candidate, path: path)
                guard var entry = state.entries[key] else { continue }
                entry.turns += 1
                state.entries[key] = entry
                return (entry.route, entry.turns)
            }
            state.fallback.turns += 1
            return (state.fallback.route, state.fallback.turns)
        }
    }
}
