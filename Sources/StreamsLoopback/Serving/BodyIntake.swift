/// Reads and records the body of a request, as its route specifies.
struct BodyIntake {
    private let number: Int
    private let line: Line
    private let recorder: Recorder
    private let limit: Int
    private var body: RequestReader.Body
    private var mustSayContinue: Bool
    private var recorded = 0

    init(_ head: RequestHead, number: Int, line: Line, recorder: Recorder, limit: Int) {
        self.number = number
        self.line = line
        self.recorder = recorder
        self.limit = limit
        body = RequestReader.Body(head.framing)
        mustSayContinue = head.expectsContinue
        if body.isComplete { recorder.record(number) { $0.isBodyComplete = true } }
    }

    /// Whether all of the body was read.
    var isComplete: Bool { body.isComplete }

    /// Reads the part of the body that is read before the reply.
    mutating func run(_ intake: Intake, on reader: inout RequestReader) throws(Line.Break) {
        guard !isComplete else { return }
        switch intake {
        case .atOnce: try read(on: &reader)
        case .paced(let bytes, let interval):
            while try read(max(1, bytes), on: &reader), interval > .zero {
                try wait { () throws(Line.Break) in try line.pause(until: .now + interval) }
            }
        case .after(let gate):
            try wait { () throws(Line.Break) in try line.hold(at: gate) }
            try read(on: &reader)
        case .first(let bytes): _ = try read(bytes, on: &reader)
        case .afterReply: break
        }
    }

    /// Whether ``finish(on:)`` reads the body to its end.
    func isReadToEnd(by intake: Intake) -> Bool {
        if isComplete { return true }
        if case .afterReply = intake { return !mustSayContinue }
        return false
    }

    /// Reads the part of the body that is read after the reply.
    mutating func finish(on reader: inout RequestReader) throws(Line.Break) {
        if !isComplete { try read(on: &reader) }
    }

    private mutating func read(on reader: inout RequestReader) throws(Line.Break) {
        _ = try read(Int.max, on: &reader)
    }

    /// Reads a number of bytes of the body, or less at its end.
    ///
    /// - Returns: Whether there is more of the body.
    private mutating func read(_ count: Int, on reader: inout RequestReader) throws(Line.Break) -> Bool {
        var left = count
        while left > 0 {
            try sayContinue()
            guard let part = try reader.next(of: &body, atMost: left) else { break }
            left -= part.count
            let kept = part.prefix(limit - recorded)
            recorded += kept.count
            recorder.record(number) { request in
                request.bodyCount += part.count
                request.body.append(contentsOf: kept)
            }
        }
        guard body.isComplete else { return true }
        let trailers = body.trailers
        recorder.record(number) { request in
            request.trailers = trailers
            request.isBodyComplete = true
        }
        return false
    }

    private mutating func sayContinue() throws(Line.Break) {
        guard mustSayContinue else { return }
        mustSayContinue = false
        var rest = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)[...]
        while !rest.isEmpty {
            let count = try rest.withUnsafeBytes { raw in
                Result { () throws(Line.Break) in try line.write(raw, onBlock: {}) }
            }.get()
            rest = rest.dropFirst(count)
        }
    }

    private func wait(_ pause: () throws(Line.Break) -> Void) throws(Line.Break) {
        recorder.record(number) { $0.state = .waiting }
        try pause()
        recorder.record(number) { $0.state = .receiving }
    }
}
