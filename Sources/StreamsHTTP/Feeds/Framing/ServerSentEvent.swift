/// An event of a stream of server-sent events (`text/event-stream`).
public struct ServerSentEvent: Hashable, Sendable {
    /// The type of the event; `message` if the server gave none.
    public var type: String

    /// The data: the values of the event's `data` lines, joined by line feeds.
    public var data: String

    /// The last event ID in effect, which a client sends as `Last-Event-ID` when it reconnects; empty without one.
    ///
    /// An event without an `id` line has the ID of an earlier event.
    public var id: String

    /// Creates an event.
    public init(type: String = "message", data: String, id: String = "") {
        self.type = type
        self.data = data
        self.id = id
    }

    /// Returns the data as a value: a `String` is the data itself, `Data` is its UTF-8, and any other value is decoded.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder of the value.
    /// - Throws: The error of the decoder.
    public func decoded<Value: Decodable>(
        as type: Value.Type = Value.self, using decoder: some DataDecoder = JSONDecoder()
    ) throws -> Value {
        // Types are compared first, because casts are slow.
        if Value.self == String.self, let text = data as? Value { return text }
        let bytes = Data(data.utf8)
        if Value.self == Data.self || Value.self == Data?.self, let bytes = bytes as? Value { return bytes }
        return try decoder.decode(Value.self, from: bytes)
    }
}

/// An item of a stream of server-sent events.
enum EventStreamItem: Hashable, Sendable {
    case event(ServerSentEvent)

    /// A comment, without the colon and a space after it. Servers send comments to keep a connection alive.
    case comment(String)

    /// The time to wait before a reconnection.
    case retry(Duration)

    /// A new last event ID that came without an event.
    case id(String)
}
