/// A connection. Its requests are served one after the other on one thread, unless it begins with the preface of HTTP/2.
struct ClientConnection: Sendable {
    let number: Int
    let line: Line
    let routes: RouteTable
    let recorder: Recorder
    /// The maximum size of a request's head.
    let headLimit: Int
    /// The number of bytes of each request's body that are recorded.
    let recordingLimit: Int
    let http2: HTTP2Settings
    /// The threads of the server.
    let threads: ThreadGroup

    /// The way to close the connection.
    enum Ending: Sendable {
        case gentle
        case abrupt
        case reset
    }

    /// Serves until the connection ends, and closes the socket.
    func run() {
        switch serve() {
        case .gentle: line.closeGently()
        case .abrupt: line.socket.close()
        case .reset:
            line.socket.resetOnClose()
            line.socket.close()
        }
        recorder.record { $0.openConnections -= 1 }
    }

    private func serve() -> Ending {
        var reader = RequestReader(line: line, headLimit: headLimit)
        do throws(Line.Break) {
            if try reader.skip(HTTP2Constants.preface) {
                return HTTP2Session(self)?.run(&reader) ?? .abrupt
            }
        } catch {
            return end(of: nil, by: error)
        }
        while true {
            do throws(Line.Break) {
                guard let head = try reader.nextHead() else { return .abrupt }
                if let ending = exchange(head, &reader) { return ending }
            } catch {
                return end(of: nil, by: error)
            }
        }
    }

    /// Serves one request.
    ///
    /// - Returns: The way to close the connection; `nil` to keep it open.
    private func exchange(_ head: RequestHead, _ reader: inout RequestReader) -> Ending? {
        let location = head.location
        let (route, turn) = routes.next(method: head.method, path: location.path)
        let number = recorder.record { journal in
            let number = journal.requests.count + 1
            journal.requests.append(
                RecordedRequest(
                    number: number, connection: self.number, turn: turn, method: head.method, target: head.target,
                    path: location.path, query: location.query, version: head.version, headers: head.headers))
            return number
        }
        var intake = BodyIntake(head, number: number, line: line, recorder: recorder, limit: recordingLimit)
        do throws(Line.Break) {
            try intake.run(route.intake, on: &reader)
            let request = recorder.request(number)
            recorder.record(number) { $0.state = .replying }
            let reply = route.handler(request).accepting(request)
            let isReadToEnd = intake.isReadToEnd(by: route.intake)
            let keepsAlive = head.keepsAlive && isReadToEnd
            var writer = ReplyWriter(reply, to: request, keepsAlive: keepsAlive, line: line, recorder: recorder)
            if let steps = reply.webSocketSteps {
                try writer.writeStart()
                var socket = WebSocketPeer(
                    steps, of: number, intake: route.intake, writer: writer, line: line, recorder: recorder,
                    recordingLimit: recordingLimit)
                try socket.run(&reader)
                return .gentle
            }
            let goesOn = try writer.write()
            if isReadToEnd { try intake.finish(on: &reader) }
            guard !goesOn else { return nil }
            return intake.isComplete ? .gentle : .abrupt
        } catch {
            let ending = end(of: number, by: error)
            // The route leaves bytes in the socket. Lingering would read them.
            if case .closed = error, !intake.isComplete { return .abrupt }
            return ending
        }
    }

    /// Records the reason for the end of a connection, and replies to a malformed request.
    private func end(of number: Int?, by reason: Line.Break) -> Ending {
        let (state, ending): (RecordedRequest.State, Ending) =
            switch reason {
            case .stopped: (.stopped, .abrupt)
            case .disconnected: (.disconnected, .abrupt)
            case .reset: (.faulted, .reset)
            case .closed: (.faulted, .gentle)
            case .malformed, .malformedFrame: (.rejected, .gentle)
            }
        let hasReplied = recorder.record { journal in
            if case .malformed(let status, let text) = reason { journal.rejections.append("\(status): \(text)") }
            if case .malformedFrame(let text) = reason { journal.rejections.append("1002: \(text)") }
            guard let number else { return false }
            guard !journal.requests[number - 1].state.isEnd else { return true }
            journal.requests[number - 1].state = state
            return false
        }
        switch reason {
        case .malformed(let status, let text): if !hasReplied { reject(status: status, text: text) }
        case .malformedFrame: write(FrameKind.close.frame(bigEndian(UInt16(1002))))
        case .stopped, .disconnected, .reset, .closed: break
        }
        return ending
    }

    private func reject(status: Int, text: String) {
        let content = "\(text)\n"
        let head = """
            HTTP/1.1 \(status) \(reason(for: status))\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Length: \(content.utf8.count)\r
            Connection: close\r
            \r

            """
        write(Array("\(head)\(content)".utf8))
    }

    /// Writes bytes that are few enough for an empty socket buffer. A client that has not read its replies gets none.
    private func write(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { raw in
            _ = line.socket.write(raw)
        }
    }
}
