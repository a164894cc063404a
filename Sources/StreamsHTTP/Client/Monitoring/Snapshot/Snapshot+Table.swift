import Streams

extension HTTPClient.Snapshot: CustomStringConvertible {
    /// The number of requests, of feeds, of WebSockets and of lists that the description shows.
    private static let maxRows = 100

    /// Tables for a terminal: the counts of the queues, and a line for each request, feed, WebSocket and origin. Of
    /// more than a hundred requests, feeds or WebSockets, the oldest are shown.
    public var description: String {
        var parts = ["requests: \(requestQueue); feeds: \(feedQueue)"]
        if let cache { parts[0] += "\ncache: \(cache)" }
        if !requests.isEmpty {
            let titles = ["phase", "age", "attempt", "sent", "received", "request"]
            parts.append(Self.table(titles, requests.map(\.cells)))
        }
        if !feeds.isEmpty {
            let titles = ["phase", "age", "connections", "elements", "position", "feed"]
            parts.append(Self.table(titles, feeds.map(\.cells)))
        }
        if !webSockets.isEmpty {
            parts.append(Self.table(["phase", "age", "messages", "WebSocket"], webSockets.map(\.cells)))
        }
        if !pages.isEmpty {
            parts.append(Self.table(["phase", "age", "pages", "list"], pages.map(\.cells)))
        }
        if !origins.isEmpty {
            let titles = [
                "connecting", "open", "idle", "reused", "retries", "running", "waiting", "permits", "circuit", "origin",
            ]
            parts.append(Self.table(titles, origins.map(\.cells)))
        }
        return parts.joined(separator: "\n\n")
    }

    private static func table(_ titles: [String], _ rows: [[String]]) -> String {
        var table = TextTable(titles)
        for row in rows.prefix(maxRows) { table.append(row) }
        return rows.count <= maxRows ? table.description : "\(table)\n... and \(rows.count - maxRows) more"
    }
}

extension HTTPClient.Snapshot.Queue: CustomStringConvertible {
    /// The counts: `3 running, 2 waiting (limit 3)`.
    public var description: String {
        let counts = "\(running) running, \(waiting) waiting" + (ending > 0 ? ", \(ending) ending" : "")
        return limit.map { "\(counts) (limit \($0))" } ?? counts
    }
}

extension HTTPClient.Snapshot.ActiveRequest {
    fileprivate var cells: [String] {
        let place = [path.map { "to \($0.printable)" }, callSite?.description].compactMap(\.self)
        return [
            phase.rawValue + (wait.map { " (\($0))" } ?? ""), age.text, String(attempt), String(sentBytes),
            String(receivedBytes),
            (["\(method) \(url)"] + place).joined(separator: ", "),
        ]
    }
}

extension HTTPClient.Snapshot.ActiveFeed {
    fileprivate var cells: [String] {
        [
            phase.rawValue, age.text, String(connections), String(elements), position ?? "-",
            (["\(method) \(url)"] + (callSite.map { [$0.description] } ?? [])).joined(separator: ", "),
        ]
    }
}

extension HTTPClient.Snapshot.ActiveWebSocket {
    fileprivate var cells: [String] {
        [
            phase.rawValue, age.text, String(messages),
            ([url] + (callSite.map { [$0.description] } ?? [])).joined(separator: ", "),
        ]
    }
}

extension HTTPClient.Snapshot.ActivePages {
    fileprivate var cells: [String] {
        [
            isRequesting ? "requesting" : "waiting for demand", age.text, String(pages),
            (["\(method) \(url)"] + (callSite.map { [$0.description] } ?? [])).joined(separator: ", "),
        ]
    }
}

extension HTTPClient.Snapshot.Origin {
    fileprivate var cells: [String] {
        func text(_ number: Int?) -> String { number.map(String.init) ?? "-" }
        let reused = connections?.reuseRatio.map { "\(Int(($0 * 100).rounded(.down))) %" }
        let version = connections?.version.map { ", \($0)" } ?? ""
        return [
            text(connections?.connecting), text(connections?.open), text(connections?.idle), reused ?? "-",
            retries.map { "\($0.retries) (\($0.available) left)" } ?? "-", text(permits?.running),
            text(permits.map { $0.waitingForPlace + $0.waitingForRate }), text(permits?.tokens),
            permits?.circuit?.text ?? "-", name + version,
        ]
    }
}

extension CircuitBreaker.Phase {
    fileprivate var text: String {
        switch self {
        case .closed: "closed"
        case .open(let remaining): "open for \(remaining.text)"
        case .halfOpen(let probes): "half-open (\(probes) probes)"
        }
    }
}
