/// A place in a program at which a stream is observed: a position in the source, and a label.
public struct CallSite: Hashable, Sendable {
    /// The label, if there is one.
    public let label: String?

    /// The module and file, as of `#fileID`.
    public let fileID: String

    /// The line in the file, from 1, as of `#line`.
    public let line: UInt

    @usableFromInline
    init(label: String?, fileID: StaticString, line: UInt) {
        self.label = label
        self.fileID = fileID.description
        self.line = line
    }
}

extension CallSite {
    /// The call site of the checkpoint that subscribes to its upstream on this thread or in this task; `nil` outside of
    /// that. A source may keep it as its name.
    @TaskLocal package static var current: CallSite?
}

extension CallSite: CustomStringConvertible {
    /// The label, if there is one, and the position: `orders (Shop/Orders.swift:42)`.
    public var description: String {
        label.map { "\($0) (\(fileID):\(line))" } ?? "\(fileID):\(line)"
    }
}

extension CallSite: Comparable {
    /// Orders call sites by file, line and label.
    public static func < (lhs: CallSite, rhs: CallSite) -> Bool {
        (lhs.fileID, lhs.line, lhs.label ?? "") < (rhs.fileID, rhs.line, rhs.label ?? "")
    }
}

/// The observed streams of this process: the live ones, and the counts of those that ended.
///
/// ```swift
/// orders.checkpoint("orders").sink { ... }.store(in: &subscriptions)
///
/// print(Census.current)
/// // live  started  finished  failed  cancelled  abandoned  values  demand     oldest  site
/// //    1        1         0       0          0          0     384  unlimited  7215 s  orders (Shop/Orders.swift:42)
/// ```
///
/// ``Publisher/checkpoint(_:fileID:line:)`` makes a stream observed. The census is always on: a value costs an increment, a
/// subscription takes a lock twice. A growing number of live subscriptions is a leak, and its row names the place.
///
/// Each row is consistent. Two rows may be read a few nanoseconds apart.
public struct Census: Hashable, Sendable {
    /// The counts of one call site.
    public struct Row: Hashable, Sendable {
        /// The call site.
        public let callSite: CallSite

        /// The number of live subscriptions.
        public let live: Int

        /// The number of subscriptions ever made.
        public let started: Int

        /// The number of subscriptions that finished.
        public let finished: Int

        /// The number of subscriptions that failed.
        public let failed: Int

        /// The number of subscriptions that their subscriber cancelled.
        public let cancelled: Int

        /// The number of subscriptions that were released without an end, as by a publisher that drops its subscribers.
        public let abandoned: Int

        /// The number of values, of ended subscriptions too.
        public let values: Int

        /// The number of values that the live subscriptions have requested and not received.
        public let outstandingDemand: Subscribers.Demand

        /// The age of the oldest live subscription.
        public let oldest: Duration?
    }

    /// A row for each call site, in the order of ``CallSite``.
    public let rows: [Row]

    /// The present census. It may be read on any thread, also from inside a stream.
    public static var current: Census {
        Census(rows: SiteRegistry.shared.sites.map(\.row).sorted { $0.callSite < $1.callSite })
    }

    /// The number of live subscriptions at all sites.
    public var live: Int { rows.reduce(0) { $0 + $1.live } }

    /// Returns the rows with a label.
    ///
    /// - Parameter label: The label given to ``Publisher/checkpoint(_:fileID:line:)``. Several places may share one.
    public func rows(labeled label: String) -> [Row] { rows.filter { $0.callSite.label == label } }
}

extension Census: CustomStringConvertible {
    /// A table with a line for each row.
    public var description: String {
        var table = TextTable([
            "live", "started", "finished", "failed", "cancelled", "abandoned", "values", "demand", "oldest", "site",
        ])
        for row in rows { table.append(row.cells) }
        return table.description
    }
}

extension Census.Row {
    fileprivate var cells: [String] {
        let counts = [live, started, finished, failed, cancelled, abandoned, values].map(\.description)
        let demand = outstandingDemand.max.map(\.description) ?? "unlimited"
        let age = oldest.map { "\($0.components.seconds) s" } ?? "-"
        return counts + [demand, age, callSite.description]
    }
}
