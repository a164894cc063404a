/// The limit of the connections to one host.
///
/// Only the engine's thread uses it.
final class HostLimit {
    private let limit: Int?
    @exclusivity(unchecked) private var counts: [String: Int] = [:]
    /// The destinations for which there is room again.
    @exclusivity(unchecked) private var freed: [String] = []

    /// - Parameter limit: The maximum number of connections to one host, or `nil` for no limit.
    init(_ limit: Int?) {
        self.limit = limit.map { max($0, 1) }
    }

    /// Counts a connection that is to be opened.
    ///
    /// - Returns: Whether there was room for it.
    func take(_ destination: String) -> Bool {
        guard let limit else { return true }
        let count = counts[destination] ?? 0
        guard count < limit else { return false }
        counts[destination] = count + 1
        return true
    }

    /// Stops counting a connection that is closed or has not been opened.
    func giveBack(_ destination: String) {
        guard limit != nil, let count = counts[destination] else { return }
        counts[destination] = count > 1 ? count - 1 : nil
        freed.append(destination)
    }

    /// Whether there is room again for a destination.
    var hasFreed: Bool { !freed.isEmpty }

    /// Takes the destinations for which there is room again.
    func takeFreed() -> [String] {
        guard !freed.isEmpty else { return [] }
        defer { freed = [] }
        return freed
    }
}
