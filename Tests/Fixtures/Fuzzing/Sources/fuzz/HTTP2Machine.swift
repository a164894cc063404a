@testable import StreamsHTTP

private let methods: [HTTPMethod] = [.get, .head, .post, .put]

/// The events of a connection by HTTP/2 are the same however the server's bytes are split, and none is of a stream that has
/// ended; what the client sends is bounded by what it has received.
func fuzzHTTP2Machine(_ input: inout Input) {
    let opened = (0..<input.byte() % 8).map { _ in methods[Int(input.byte()) % methods.count] }
    let size = Int(input.byte()) + 1
    let bytes = input.remainder()
    let whole = Owner.outcome(of: bytes, opened, inPartsOf: max(bytes.count, 1))
    for size in [1, size] {
        expectEqual(Owner.outcome(of: bytes, opened, inPartsOf: size), whole, "the result depends on parts of \(size)")
    }
}

/// The owner of a state machine: it sends content when there is room, and asks for more with each event of content.
private struct Owner {
    struct Outcome: Equatable {
        /// The events with their contents.
        var events: [String] = []
        var error: HTTP2Error?
        var output: [UInt8] = []
    }

    private enum Response { case awaited, begun }

    private var machine = HTTP2StateMachine(now: .now)
    private var outcome = Outcome()
    /// The streams that have not ended.
    private var responses: [HTTP2Frame.StreamID: Response] = [:]
    /// The size of what was sent without a cause.
    private var ownSize = 0

    static func outcome(of bytes: [UInt8], _ opened: [HTTPMethod], inPartsOf size: Int) -> Outcome {
        var owner = Owner()
        for method in opened { owner.open(method) }
        owner.ownSize = owner.machine.unsentSize
        owner.receive(bytes, inPartsOf: size)
        expect(owner.machine.unsentSize <= owner.ownSize + 4 * bytes.count, "more is sent than was received")
        owner.outcome.output = owner.machine.takeOutput()
        return owner.outcome
    }

    private mutating func open(_ method: HTTPMethod) {
        let request = TransportRequest(
            method: method, url: LazyURL("https://localhost/"), headers: [:], body: .empty,
            connection: RequestOptions.Connection(), connectTimeout: nil, idleTimeout: nil, usesBackpressure: false,
            headLimits: RequestOptions.HeadLimits(), previewName: nil)
        guard let stream = machine.open(request, hasContent: method.anticipatesBody, length: nil)?.stream else {
            return
        }
        responses[stream] = .awaited
        send(on: stream)
    }

    private mutating func receive(_ bytes: [UInt8], inPartsOf size: Int) {
        let now = MonotonicTime.now
        var buffer: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            buffer += bytes[start...].prefix(size)
            let count = buffer.withUnsafeBytes { buffer in
                var input = buffer
                do throws(HTTP2Error) {
                    while let event = try machine.next(&input, now: now) { handle(event) }
                } catch {
                    expect(error.stream == nil, "an error of a stream ends the connection")
                    outcome.error = error
                }
                return buffer.count - input.count
            }
            expect(machine.streamCount == responses.count, "the streams differ from those of the events")
            guard outcome.error == nil else { return }
            buffer.removeFirst(count)
        }
    }

    private mutating func handle(_ event: HTTP2StateMachine.Event) {
        switch event {
        case .informational(let stream, let status, _):
            require(stream, .awaited)
            note("\(stream) \(status)")
        case .head(let stream, let head, _, let isLast):
            require(stream, .awaited)
            responses[stream] = isLast ? nil : .begun
            note("\(stream) \(head.status) \(head.headers.fields.map { "\($0.name): \($0.bytes)" }) \(isLast)")
        case .content(let stream, let content, let isLast):
            require(stream, .begun)
            if isLast { responses[stream] = nil }
            note("\(stream) \(Array(content)) \(isLast)")
            machine.allow(1 << 18, on: stream)
        case .trailers(let stream, let trailers):
            require(stream, .begun)
            responses[stream] = nil
            note("\(stream) \(trailers.fields.map { "\($0.name): \($0.bytes)" })")
        case .reset(let stream, let code):
            require(stream)
            responses[stream] = nil
            note("\(stream) reset \(code)")
        case .failed(let stream, let failure):
            require(stream)
            responses[stream] = nil
            note("\(stream) \(failure)")
        case .roomToSend(let stream):
            note("room \(stream.map { "\($0)" } ?? "")")
            for stream in stream.map({ [$0] }) ?? responses.keys.sorted() { send(on: stream) }
        case .roomForStreams: note("streams \(machine.hasRoom)")
        case .goAway(let unprocessed, let code):
            for stream in unprocessed {
                require(stream)
                responses[stream] = nil
            }
            expect(!machine.hasRoom, "a connection that ends has room")
            note("go away \(unprocessed) \(code)")
        case .pong: note("pong")
        }
    }

    private mutating func note(_ event: String) {
        outcome.events.append(event)
    }

    /// Checks that a stream has not ended, and the part of the response that has come.
    private func require(_ stream: HTTP2Frame.StreamID, _ response: Response? = nil) {
        expect(responses[stream] != nil, "an event of a stream that has ended")
        expect(response == nil || responses[stream] == response, "an event out of turn")
    }

    /// Sends some content, so that the windows are used up.
    private mutating func send(on stream: HTTP2Frame.StreamID) {
        let room = machine.room(of: stream)
        expect((0...0xFF_FFFF).contains(room), "the room is \(room)")
        let content = [UInt8](repeating: UInt8(truncatingIfNeeded: stream), count: min(room, 20_000))
        guard !content.isEmpty else { return }
        let before = machine.unsentSize
        content.withUnsafeBytes { machine.write($0, to: stream, isLast: room % 2 == 1) }
        ownSize += machine.unsentSize - before
    }
}
