/// A feed of numbered elements, which is interrupted and continued by a script.
///
/// ```swift
/// let feed = FeedScript(
///     .serverSentEvents, count: 100,
///     .elements(10, then: .reset), .elements(5, partial: 8, then: .close), .status(503), .elements())
/// server.on("GET", "/events", feed: feed)
/// ```
///
/// The elements are numbered from 1. The number is the ID of a server-sent event, and part of its data: `{"n":17}`. Each
/// request is served by one connection script, in turn, of which the last repeats. A request with a cursor, the number
/// of the last element that the client has, gets the elements after it; a request without one gets all. When there are
/// none left, the response is 204, which tells a client of server-sent events not to reconnect.
public struct FeedScript: Sendable {
    /// The format of the elements on the wire.
    public enum Format: Sendable, Hashable {
        /// `text/event-stream`, each event with an ID and one `data` line for each line of its content.
        case serverSentEvents
        /// `application/x-ndjson`, one line for each element.
        case jsonLines
    }

    /// The place of the cursor in a request.
    public enum Cursor: Sendable, Hashable {
        /// The field `Last-Event-ID`.
        case lastEventID
        /// A parameter of the query.
        case query(String)
    }

    /// The way in which a connection ends.
    public enum Ending: Sendable, Hashable, CaseIterable {
        /// The response is complete, and the connection stays usable.
        case finish
        /// The connection is reset (RST).
        case reset
        /// The connection is closed (FIN) without the last chunk, so that the response is truncated.
        case close
        /// Nothing more is sent until the client disconnects or the server stops.
        case stall
    }

    /// The response to a cursor before the oldest element that is remembered.
    public enum Forgetting: Sendable, Hashable {
        /// Status 410. A request without a cursor begins with the oldest element.
        case gone
        /// The elements from the oldest on, without those before it.
        case later
    }

    /// The format of the elements.
    public var format: Format
    /// The number of elements.
    public var count: Int
    /// The place of the cursor in requests.
    public var cursor: Cursor
    /// The reconnection time that each response with server-sent events begins with; `nil` for none.
    public var retry: Duration?
    /// A closure that returns the content of an element by its number; one line for JSON lines.
    public var content: @Sendable (Int) -> String = { "{\"n\":\($0)}" }
    /// A closure that returns the script of a request by its turn, from 1.
    private let connection: @Sendable (Int) -> Connection

    /// Creates a feed whose connections follow scripts in turn.
    ///
    /// - Parameters:
    ///   - format: The format of the elements.
    ///   - count: The number of elements; `.max` for an endless feed.
    ///   - cursor: The place of the cursor; `nil` for `Last-Event-ID` with server-sent events, and for the parameter
    ///     `after` with JSON lines.
    ///   - connections: The scripts of the requests in turn, of which the last repeats. Without any, each connection
    ///     serves all elements.
    public init(_ format: Format, count: Int, cursor: Cursor? = nil, _ connections: Connection...) {
        self.init(format, count: count, cursor: cursor) { turn in
            connections.isEmpty ? .elements() : connections[min(turn, connections.count) - 1]
        }
    }

    /// Creates a feed whose connections are interrupted at random, but always the same for a seed.
    ///
    /// Half of the connections send a part of the next element before they end.
    ///
    /// - Parameters:
    ///   - format: The format of the elements.
    ///   - count: The number of elements; `.max` for an endless feed.
    ///   - cursor: The place of the cursor; `nil` for the format's own, as above.
    ///   - seed: The seed of all random choices.
    ///   - elements: The least and the largest number of elements that a connection sends.
    ///   - endings: The ways in which connections end, each as likely as the others.
    public init(
        _ format: Format, count: Int, cursor: Cursor? = nil, seed: UInt64, elements: ClosedRange<Int> = 0...10,
        endings: [Ending] = [.finish, .reset, .close]
    ) {
        self.init(format, count: count, cursor: cursor) { turn in
            var random = SeededNumbers(seed: seed, turn: turn)
            let number = random.next(in: elements)
            let ending = endings.isEmpty ? .finish : endings[random.next(in: 0...endings.count - 1)]
            return .elements(number, partial: max(random.next(in: -20...20), 0), then: ending)
        }
    }

    /// Creates a feed whose connections follow the scripts that a closure returns by the request's turn, from 1.
    ///
    /// Other parameters are those of the form with a list of scripts.
    public init(
        _ format: Format, count: Int, cursor: Cursor? = nil, connection: @escaping @Sendable (Int) -> Connection
    ) {
        self.format = format
        self.count = max(0, count)
        self.cursor = cursor ?? (format == .serverSentEvents ? .lastEventID : .query("after"))
        self.connection = connection
    }

    /// Returns the reply to a request.
    ///
    /// A route with a handler can add delays, fields and faults to it. A malformed cursor gets status 400.
    public func reply(to request: RecordedRequest) -> Reply {
        let connection = connection(request.turn)
        if let status = connection.status { return Reply(status) }
        guard let position = position(of: request) else { return .text("malformed cursor\n", status: 400) }
        let oldest = max(connection.oldest, 1)
        if position.last < oldest - 1, position.isGiven, connection.forgetting == .gone { return Reply(410) }
        let first = max(position.last, oldest - 1)
        guard first < count else { return Reply(204) }
        return reply(of: connection, after: first)
    }
}

extension FeedScript {
    /// The script of one connection, or rather of one request.
    public struct Connection: Sendable {
        fileprivate var status: Int?
        fileprivate var count = Int.max
        fileprivate var interval = Duration.zero
        fileprivate var partial = 0
        fileprivate var ending = Ending.finish
        fileprivate var oldest = 1
        fileprivate var forgetting = Forgetting.gone
        fileprivate var gate: Gate?

        /// Returns a script that sends elements and ends in a way, also if it has reached the last element.
        ///
        /// - Parameters:
        ///   - count: The maximum number of elements.
        ///   - interval: The pause between two elements.
        ///   - partial: The number of bytes of the next element that are sent before the end, fewer than all of them.
        ///   - ending: The way in which the connection ends.
        public static func elements(
            _ count: Int = .max, every interval: Duration = .zero, partial: Int = 0, then ending: Ending = .finish
        ) -> Connection {
            var connection = Connection()
            connection.count = max(0, count)
            connection.interval = interval
            connection.partial = max(0, partial)
            connection.ending = ending
            return connection
        }

        /// Returns a script that sends an empty response with a status.
        public static func status(_ status: Int) -> Connection {
            var connection = Connection()
            connection.status = status
            return connection
        }

        /// Returns this script for a server that has forgotten the elements before a number.
        public func forgetting(before number: Int, _ forgetting: Forgetting = .gone) -> Connection {
            var connection = self
            connection.oldest = number
            connection.forgetting = forgetting
            return connection
        }

        /// Returns this script with a wait for a gate after the head, before the first element.
        public func held(by gate: Gate) -> Connection {
            var connection = self
            connection.gate = gate
            return connection
        }
    }
}

// MARK: Requests

extension FeedScript {
    /// Returns the number of the last element that a client has, zero for none; `nil` if it is malformed.
    private func position(of request: RecordedRequest) -> (last: Int, isGiven: Bool)? {
        let text =
            switch cursor {
            case .lastEventID: request.headers["Last-Event-ID"]
            case .query(let name): request.queryValue(of: name)
            }
        guard let text, !text.isEmpty else { return (0, false) }
        guard let number = Int(text), number >= 0 else { return nil }
        return (number, true)
    }
}

extension RecordedRequest {
    /// Returns the first value of a parameter of the query, percent-encoded as on the wire.
    fileprivate func queryValue(of name: String) -> String? {
        for item in (query ?? "").split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts[0] == name { return parts.count > 1 ? String(parts[1]) : "" }
        }
        return nil
    }
}

// MARK: Replies

extension FeedScript {
    /// The number of elements that are sent as one piece if there is no pause between them.
    private static let batch = 64

    private func reply(of connection: Connection, after first: Int) -> Reply {
        let number = min(connection.count, count - first)
        var pieces: [Reply.Body.Piece] = []
        if format == .serverSentEvents, let retry {
            pieces.append(.bytes(Array("retry: \(milliseconds(retry))\n\n".utf8)))
        }
        if let gate = connection.gate { pieces.append(.hold(gate)) }
        var body = Reply.Body(pieces, framing: .chunked)
        let batch = connection.interval > .zero ? 1 : Self.batch
        // Created when they are sent, since a feed may be endless.
        body.laterPieces = { [self] index in
            var index = index
            if connection.interval > .zero {
                // A pause lies between two elements.
                if !index.isMultiple(of: 2) { return index / 2 < number - 1 ? .pause(connection.interval) : nil }
                index /= 2
            }
            let start = index * batch
            guard start < number else { return nil }
            return .bytes((start..<min(start + batch, number)).flatMap { bytes(of: first + $0 + 1) })
        }
        if connection.partial > 0, first + number < count {
            let next = bytes(of: first + number + 1)
            body.lastPiece = .bytes(Array(next.prefix(min(connection.partial, next.count - 1))))
        }
        let reply = Reply(headers: ["Content-Type": contentType, "Cache-Control": "no-cache"], body: body)
        // Beyond the end: the ending follows the last piece.
        switch connection.ending {
        case .finish: return reply
        case .reset: return reply.failing(with: .reset(at: .inBody(after: .max)))
        case .close: return reply.failing(with: .close(at: .inBody(after: .max)))
        case .stall: return reply.failing(with: .stall(at: .inBody(after: .max)))
        }
    }

    private var contentType: String {
        switch format {
        case .serverSentEvents: "text/event-stream"
        case .jsonLines: "application/x-ndjson"
        }
    }

    private func bytes(of number: Int) -> [UInt8] {
        let content = content(number)
        switch format {
        case .jsonLines:
            return Array("\(content)\n".utf8)
        case .serverSentEvents:
            let lines = content.split(separator: "\n", omittingEmptySubsequences: false).map { "data: \($0)\n" }
            return Array("id: \(number)\n\(lines.joined())\n".utf8)
        }
    }

    private func milliseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return min(max(0, seconds), 1 << 40) * 1000 + max(0, attoseconds) / 1_000_000_000_000_000
    }
}

/// Random numbers that depend on a seed and a turn alone: SplitMix64.
private struct SeededNumbers {
    private var state: UInt64

    init(seed: UInt64, turn: Int) {
        state = seed &+ UInt64(truncatingIfNeeded: turn) &* 0xD1B5_4A32_D192_ED03
    }

    mutating func next(in range: ClosedRange<Int>) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        value ^= value >> 31
        // Wide enough for all integers.
        let width = UInt64(bitPattern: Int64(range.upperBound &- range.lowerBound))
        let offset = width == .max ? value : value % (width + 1)
        return range.lowerBound &+ Int(truncatingIfNeeded: offset)
    }
}
