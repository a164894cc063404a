import StreamsTesting

@testable import StreamsHTTP

/// A transport whose requests open WebSockets to a peer that a test plays.
final class SocketServer: HTTPTransport {
    /// The connections, in the order of their requests.
    let connections = Watched<[SocketConnection]>([])
    private let answer: @Sendable (TransportRequest) -> HTTPResponse<Data>

    init(
        _ answer: @escaping @Sendable (TransportRequest) -> HTTPResponse<Data> = { SocketServer.acceptance($0) }
    ) {
        self.answer = answer
    }

    func start(_ request: TransportRequest, delivering receiver: any TransportReceiver) -> any TransportExchange {
        let connection = SocketConnection(request, receiver)
        connections.update { $0.append(connection) }
        connection.answer(answer(request))
        return connection
    }

    /// The response that opens the connection.
    static func acceptance(_ request: TransportRequest, _ headers: HTTPHeaders = [:]) -> HTTPResponse<Data> {
        let key = (request.headers["Sec-WebSocket-Key"] ?? "") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        let accept = Data(SHA1.digest(of: Array(key.utf8))).base64EncodedString()
        let fields: HTTPHeaders = ["Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": accept]
        return HTTPResponse(
            status: .switchingProtocols, headers: headers.merging(defaults: fields), body: Data(), url: request.url)
    }

    func client(
        _ scheduler: TestScheduler, _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration(baseURL: URL(string: "http://h"))
        change(&configuration)
        return HTTPClient(configuration: configuration, transport: self, scheduler: scheduler)
    }

    /// Waits for a connection, from 1, and for its answer: what the test sends comes behind the head.
    func connection(_ number: Int) async throws -> SocketConnection {
        let connection = try await connections.wait(for: "connection \(number)") { $0.count >= number }[number - 1]
        try await connection.isAnswered.wait(for: "an answer") { $0 }
        return connection
    }
}

/// A connection, as the peer sees it.
final class SocketConnection: TransportExchange {
    private struct State {
        var source: (any HTTPBody.Source)?
        var takesFrames = true
        var isReading = false
        var isReadable = false
    }

    let request: TransportRequest
    /// The bytes that the client has sent.
    let sent = Watched(Data())
    let isAborted = Watched(false)
    fileprivate let isAnswered = Watched(false)
    private let receiver: any TransportReceiver
    private let state = Locked(State())

    init(_ request: TransportRequest, _ receiver: any TransportReceiver) {
        self.request = request
        self.receiver = receiver
    }

    func allow(bytes: Int) {}

    func abort() {
        endSending()
        isAborted.update { $0 = true }
    }

    fileprivate func answer(_ response: HTTPResponse<Data>) {
        defer { isAnswered.update { $0 = true } }
        receiver.receive(.head(response.replacingBody(())))
        guard response.status == .switchingProtocols else {
            receiver.receive(.chunk(response.body, received: Int64(response.body.count)))
            return receiver.receive(.finished)
        }
        let source = try? request.body.open { [weak self] in self?.takeFrames() }
        state.withLock { $0.source = source }
        takeFrames()
    }

    // MARK: The peer

    func send(_ bytes: Data) {
        receiver.receive(.chunk(bytes, received: Int64(bytes.count)))
    }

    func end() {
        endSending()
        receiver.receive(.finished)
    }

    func fail(_ reason: HTTPError.Reason) {
        endSending()
        receiver.receive(.failed(TransportFailure(reason)))
    }

    private func endSending() {
        state.withLock { $0.source.take() }?.cancel()
    }

    /// Takes no more of what the client sends, as if the connection had no room.
    func stopTaking() {
        state.withLock { $0.takesFrames = false }
    }

    func goOnTaking() {
        state.withLock { $0.takesFrames = true }
        takeFrames()
    }

    /// The frames that the client has sent.
    var frames: [ClientFrame] { ClientFrame.frames(sent.value) }

    /// Waits until the client has sent some frames.
    @discardableResult
    func waitForFrames(_ what: String, where condition: @escaping ([ClientFrame]) -> Bool) async throws -> [ClientFrame]
    {
        ClientFrame.frames(try await sent.wait(for: what) { condition(ClientFrame.frames($0)) })
    }

    private func takeFrames() {
        guard beginReading() else { return }
        var buffer = [UInt8](repeating: 0, count: 4096)
        var bytes = Data()
        while let source = state.withLock({ $0.takesFrames ? $0.source : nil }) {
            let result = buffer.withUnsafeMutableBytes { source.read(into: $0) }
            if case .bytes(let count) = result {
                bytes.append(contentsOf: buffer[..<count])
                continue
            }
            show(&bytes)
            if endReading() { return }
        }
        show(&bytes)
        state.withLock { $0.isReading = false }
    }

    /// Shows bytes to the test, after the client has been asked for more and knows that they are written.
    private func show(_ bytes: inout Data) {
        guard !bytes.isEmpty else { return }
        sent.update { $0.append(bytes) }
        bytes = Data()
    }

    /// - Returns: Whether no other call is reading. Otherwise that one reads on.
    private func beginReading() -> Bool {
        state.withLock { state in
            guard !state.isReading else {
                state.isReadable = true
                return false
            }
            state.isReading = true
            return true
        }
    }

    /// - Returns: Whether nothing has become readable meanwhile.
    private func endReading() -> Bool {
        state.withLock { state in
            let isDone = !exchange(&state.isReadable, with: false)
            if isDone { state.isReading = false }
            return isDone
        }
    }
}
