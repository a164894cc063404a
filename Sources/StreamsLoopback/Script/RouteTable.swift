/// The routes of a server.
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
        // The replaced closure is released outside of the lock.
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

    /// Removes all routes, so that handlers that retain their server are released.
    func removeAll() {
        let removed = state.withLock { state in
            let removed = state
            state = State()
            return removed
        }
        _ = removed
    }

    /// Returns the route of a request, and the number of requests that it has had. HEAD without a route has that of
    /// GET.
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
