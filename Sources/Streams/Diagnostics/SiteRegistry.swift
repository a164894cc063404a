/// All call sites of this process at which streams are watched.
final class SiteRegistry: Sendable {
    static let shared = SiteRegistry()

    /// With more sites than this, labels that are new share one row a place, so that a program that makes up labels as
    /// it goes does not fill its memory with them.
    static let limit = 10_000
    static let overflowLabel = "(further labels)"

    /// A call site before a string is made of its file.
    private struct Key: Hashable, Sendable {
        let label: String?
        let fileID: StaticString
        let line: UInt

        static func == (lhs: Key, rhs: Key) -> Bool {
            lhs.line == rhs.line && lhs.label == rhs.label && hasSameText(lhs.fileID, rhs.fileID)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(line)
            hasher.combine(label)
        }

        private static func hasSameText(_ lhs: StaticString, _ rhs: StaticString) -> Bool {
            guard lhs.hasPointerRepresentation, rhs.hasPointerRepresentation else {
                return lhs.description == rhs.description
            }
            return lhs.utf8Start == rhs.utf8Start
                || lhs.withUTF8Buffer { left in rhs.withUTF8Buffer { left.elementsEqual($0) } }
        }
    }

    private let known = Locked<[Key: WatchedSite]>([:])
    private let limit: Int

    init(limit: Int = SiteRegistry.limit) {
        self.limit = limit
    }

    var sites: [WatchedSite] { known.withLock { Array($0.values) } }

    /// The one site for a place and a label.
    func site(label: String?, fileID: StaticString, line: UInt) -> WatchedSite {
        let limit = limit
        return known.withLock { known in
            let key = Key(label: label, fileID: fileID, line: line)
            if let site = known[key] { return site }
            if label != nil, known.count >= limit {
                return Self.add(Key(label: Self.overflowLabel, fileID: fileID, line: line), to: &known)
            }
            return Self.add(key, to: &known)
        }
    }

    private static func add(_ key: Key, to known: inout [Key: WatchedSite]) -> WatchedSite {
        if let site = known[key] { return site }
        let site = WatchedSite(CallSite(label: key.label, fileID: key.fileID, line: key.line))
        known[key] = site
        return site
    }
}
