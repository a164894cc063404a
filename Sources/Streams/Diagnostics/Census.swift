/// Where in a program a stream is watched: a place in its source, and a label.
public struct CallSite: Hashable, Sendable {
    /// What the program calls the stream there, if anything.
    public let label: String?

    /// Module and file, as `#fileID` gives them.
    public let fileID: String

    /// The line of the file, from 1, as `#line` gives it.
    public let line: UInt

    @usableFromInline
    init(label: String?, fileID: StaticString, line: UInt) {
        self.label = label
        self.fileID = fileID.description
        self.line = line
    }
}

extension CallSite: CustomStringConvertible {
    /// The label, where there is one, and the place: `orders (Shop/Orders.swift:42)`.
    public var description: String {
        label.map { "\($0) (\(fileID):\(line))" } ?? "\(fileID):\(line)"
    }
}

extension CallSite: Comparable {
    /// By file, then by line, then by label.
    public static func < (lhs: CallSite, rhs: CallSite) -> Bool {
        (lhs.fileID, lhs.line, lhs.label ?? "") < (rhs.fileID, rhs.line, rhs.label ?? "")
    }
}

/// Which watched streams there are in this process at one moment, and what has become of those there were.
///
/// ```swift
/// orders.checkpoint("orders").sink { ... }.store(in: &subscriptions)
///
/// print(Census.current)
/// // live  started  finished  failed  cancelled  abandoned  values  demand     oldest  site
/// //    1        1         0       0          0          0     384  unlimited  7215 s  orders (Shop/Orders.swift:42)
/// ```
///
/// A stream is watched where ``Publisher/checkpoint(_:fileID:line:)`` is written. The census is always on: a watched
/// value costs an increment, a watched subscription a lock taken twice. A number of live subscriptions that only grows
/// is a leak, and its row says where.
///
/// Each row is true in itself. Two rows may be from two moments a few nanoseconds apart.
public struct Census: Hashable, Sendable {
    /// What has been counted at one call site.
    public struct Row: Hashable, Sendable {
        /// Where the subscriptions are counted.
        public let callSite: CallSite

        /// How many subscriptions there are now.
        public let live: Int

        /// How many there have been.
        public let started: Int

        /// How many of them finished.
        public let finished: Int

        /// How many of them failed.
        public let failed: Int

        /// How many of them were cancelled by their subscriber.
        public let cancelled: Int

        /// How many of them were let go of by everybody without an end, as by a publisher that forgets its subscribers.
        /// Those of a subject that goes without completing are live until they are cancelled.
        public let abandoned: Int

        /// How many values went by, for those that have ended too.
        public let values: Int

        /// How many values the live subscriptions have asked for and not received.
        public let outstandingDemand: Subscribers.Demand

        /// For how long the oldest live subscription has been there.
        public let oldest: Duration?
    }

    /// A row for each call site that has ever been subscribed to, or is about to be, in the order of ``CallSite``.
    public let rows: [Row]

    /// How things are now. May be asked for on any thread, also from inside a stream.
    public static var current: Census {
        Census(rows: SiteRegistry.shared.sites.map(\.row).sorted { $0.callSite < $1.callSite })
    }

    /// How many subscriptions there are at all sites together.
    public var live: Int { rows.reduce(0) { $0 + $1.live } }

    /// The rows of a label.
    ///
    /// - Parameter label: As given to ``Publisher/checkpoint(_:fileID:line:)``. Several places may use one.
    public func rows(labeled label: String) -> [Row] {
        rows.filter { $0.callSite.label == label }
    }
}

extension Census: CustomStringConvertible {
    /// A table with a line for each row.
    public var description: String {
        let titles = [
            "live", "started", "finished", "failed", "cancelled", "abandoned", "values", "demand", "oldest", "site",
        ]
        let lines = [titles] + rows.map(\.cells)
        let widths = titles.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { cells in
            let padded = zip(cells, widths).dropLast().map { cell, width in
                String(repeating: " ", count: width - cell.count) + cell
            }
            return (padded + cells.suffix(1)).joined(separator: "  ")
        }.joined(separator: "\n")
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
