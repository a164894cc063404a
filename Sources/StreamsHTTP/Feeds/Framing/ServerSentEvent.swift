/// An event of a stream of server-sent events (`text/event-stream`), whose data is a text or has been decoded.
public struct ServerSentEvent<Content> {
    /// The type of the event; `message` if the server gave none.
    public var type: String

    /// The data: the values of the event's `data` lines, joined by line feeds, or what they were decoded to.
    public var data: Content

    /// The last event ID in effect, which a client sends as `Last-Event-ID` when it reconnects; empty without one.
    ///
    /// An event without an `id` line has the ID of an earlier event.
    public var id: String

    /// Creates an event.
    public init(type: String = "message", data: Content, id: String = "") {
        self.type = type
        self.data = data
        self.id = id
    }

    /// Returns this event with other data.
    func replacingData<Other>(_ data: Other) -> ServerSentEvent<Other> {
        ServerSentEvent<Other>(type: type, data: data, id: id)
    }
}

extension ServerSentEvent: Equatable where Content: Equatable {}
extension ServerSentEvent: Hashable where Content: Hashable {}
extension ServerSentEvent: Sendable where Content: Sendable {}

extension ServerSentEvent<String> {
    /// Returns the data as a value: a `String` is the data itself, `Data` is its UTF-8, and any other value is decoded.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder of the value.
    /// - Throws: The error of the decoder.
    public func decoded<Value: Decodable>(
        as type: Value.Type = Value.self, using decoder: any DataDecoder = JSONDecoder()
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
    case event(ServerSentEvent<String>)

    /// A comment, without the colon and a space after it. Servers send comments to keep a connection alive.
    case comment(String)

    /// The time to wait before a reconnection.
    case retry(Duration)

    /// A new last event ID that came without an event.
    case id(String)
}
