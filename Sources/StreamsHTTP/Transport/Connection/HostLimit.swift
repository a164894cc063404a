/// The limit of the connections to one host.
///
/// Only the engine's thread uses it.
final class HostLimit {
    private let limit: Int?
    @exclusivity(unchecked) private var counts: [String: Int] = [:]
    /// The origins for which there is room again.
    @exclusivity(unchecked) private var freed: [String] = []

    /// - Parameter limit: The maximum number of connections to one host, or `nil` for no limit.
    init(_ limit: Int?) {
        self.limit = limit.map { max($0, 1) }
    }

    /// Counts a connection that is to be opened.
    ///
    /// - Returns: Whether there was room for it.
    func take(_ origin: String) -> Bool {
        guard let limit else { return true }
        let count = counts[origin] ?? 0
        guard count < limit else { return false }
        counts[origin] = count + 1
        return true
    }

    /// Stops counting a connection that is closed or has not been opened.
    func giveBack(_ origin: String) {
        guard limit != nil, let count = counts[origin] else { return }
        counts[origin] = count > 1 ? count - 1 : nil
        freed.append(origin)
    }

    /// Whether there is room again for an origin.
    var hasFreed: Bool { !freed.isEmpty }

    /// Takes the origins for which there is room again.
    func takeFreed() -> [String] {
        guard !freed.isEmpty else { return [] }
        defer { freed = [] }
        return freed
    }
}
