import Foundation
import Testing

@testable import StreamsHTTP

/// A state machine whose server is a test: the events of its owner, and the frames that it has sent, as text.
struct HTTP2Conversation {
    typealias StreamID = HTTP2Frame.StreamID

    var machine: HTTP2StateMachine
    var now = MonotonicTime.now
    private(set) var events: [String] = []
    private(set) var error: HTTP2Error?
    /// The bytes of a frame of which the rest has not come.
    private var kept: [UInt8] = []
    private var sentReader = HTTP2FrameReader()

    /// Begins a connection whose first frames have been sent.
    init() throws {
        machine = HTTP2StateMachine(now: now)
        #expect(try sent() == ["settings 2=0 3=0 4=65536 6=1048576", "window 0 1073676289"])
    }

    /// Begins a connection to a server whose settings have come.
    init(settings: (UInt16, UInt32)...) throws {
        try self.init()
        receive([ServerFrame(type: 4, 0, settings.flatMap { [0, UInt8($0.0)] + $0.1.bigEndianBytes })])
        #expect(try sent() == ["settings acknowledged"])
        _ = takeEvents()
    }

    static func request(
        _ method: HTTPMethod = .get, _ url: String = "https://h/", headers: HTTPHeaders = [:],
        limits: RequestOptions.HeadLimits = RequestOptions.HeadLimits()
    ) -> TransportRequest {
        var connection = RequestOptions.Connection()
        connection.decodesContent = false
        return TransportRequest(
            method: method, url: LazyURL(url), headers: headers, body: .empty, connection: connection,
            connectTimeout: nil, idleTimeout: nil, usesBackpressure: true, headLimits: limits, previewName: nil)
    }

    /// Opens a stream, whose request has content if its method anticipates it.
    @discardableResult
    mutating func open(_ method: HTTPMethod = .get) -> StreamID? {
        machine.open(Self.request(method), hasContent: method.anticipatesBody, length: nil)?.stream
    }

    /// Receives frames whose bytes come in pieces of a size.
    mutating func receive(_ frames: [ServerFrame], pieces: Int = .max) {
        var rest = frames.flatMap(\.bytes)[...]
        while !rest.isEmpty, error == nil {
            kept += rest.prefix(pieces)
            rest = rest.dropFirst(pieces)
            // Elsewhere each time, so that nothing can refer to bytes that came before.
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: kept.count, alignment: 1)
            bytes.copyBytes(from: kept)
            var input = UnsafeRawBufferPointer(bytes)
            do throws(HTTP2Error) {
                while let event = try machine.next(&input, now: now) { events.append(event.text) }
            } catch {
                self.error = error
            }
            kept = Array(input)
            bytes.initializeMemory(as: UInt8.self, repeating: 0xEE)
            bytes.deallocate()
        }
    }

    mutating func takeEvents() -> [String] {
        defer { events = [] }
        return events
    }

    /// Writes content for which there is room.
    mutating func write(_ content: String, to stream: StreamID, isLast: Bool = false) {
        #expect(content.utf8.count <= machine.room(of: stream))
        Array(content.utf8).withUnsafeBytes { machine.write($0, to: stream, isLast: isLast) }
    }

    /// Takes the frames that the client has sent, as text.
    mutating func sent() throws -> [String] {
        let output = machine.takeOutput()
        let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        return try output.withUnsafeBytes { bytes in
            var input = bytes
            if bytes.starts(with: preface) { input = UnsafeRawBufferPointer(rebasing: bytes[preface.count...]) }
            var frames: [String] = []
            while let frame = try sentReader.next(&input) { frames.append(Self.text(of: frame)) }
            #expect(input.isEmpty)
            return frames
        }
    }

    private static func text(of frame: HTTP2Frame) -> String {
        switch frame {
        case .data(let stream, let content, _, let isLast):
            "data \(stream) '\(String(decoding: content, as: UTF8.self))'" + (isLast ? " last" : "")
        case .headers(let stream, _, let endsBlock, let isLast):
            "headers \(stream)" + (endsBlock ? "" : " continued") + (isLast ? " last" : "")
        case .continuation(let stream, _, let endsBlock): "continuation \(stream)" + (endsBlock ? "" : " continued")
        case .reset(let stream, let code): "reset \(stream) \(code.rawValue)"
        case .settings(let settings):
            "settings" + settings.map { " \($0.rawValue)=\($1)" }.joined()
        case .settingsAcknowledgement: "settings acknowledged"
        case .ping(let data): "ping \(data)"
        case .pingAcknowledgement(let data): "ping \(data) acknowledged"
        case .goAway(let last, let code): "go away \(last) \(code.rawValue)"
        case .windowUpdate(let stream, let increment): "window \(stream) \(increment)"
        case .pushPromise(let stream): "push \(stream)"
        case .ignored: "ignored"
        }
    }
}

extension HTTP2StateMachine.Event {
    /// The event with its contents.
    fileprivate var text: String {
        switch self {
        case .informational(let stream, let status, _): "\(stream): \(status.code)"
        case .head(let stream, let head, _, let isLast):
            "\(stream): head \(head.status.code)\(head.headers.text)" + (isLast ? " last" : "")
        case .content(let stream, let bytes, let isLast):
            "\(stream): '\(String(decoding: bytes, as: UTF8.self))'" + (isLast ? " last" : "")
        case .trailers(let stream, let trailers): "\(stream): trailers\(trailers.text)"
        case .reset(let stream, let code): "\(stream): reset \(code.rawValue)"
        case .failed(let stream, let failure): "\(stream): failed \(failure.text)"
        case .roomToSend(let stream): "room" + (stream.map { " \($0)" } ?? "")
        case .roomForStreams: "streams"
        case .goAway(let unprocessed, let code): "go away \(unprocessed) \(code.rawValue)"
        case .pong: "pong"
        }
    }
}

extension HTTPHeaders {
    fileprivate var text: String { fields.map { " \($0.name)=\($0.value)" }.joined() }
}

extension TransportFailure {
    /// The rule that the server broke, or the name of the reason.
    var text: String {
        guard case .transfer(let transfer) = reason, let violation = transfer.violation else { return reason.name }
        return "\(violation)"
    }
}

extension UInt32 {
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
