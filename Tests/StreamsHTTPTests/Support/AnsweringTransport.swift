import StreamsHTTP
import StreamsTesting

/// A transport that answers each request as a closure says, on the calling thread.
struct AnsweringTransport: HTTPTransport {
    enum Answer: Sendable {
        case reply(HTTPStatus, HTTPHeaders = [:], String = "")
        case failure(HTTPError.Reason)
        case silence
    }

    /// The requests sent so far, in order.
    let requests = Watched<[TransportRequest]>([])
    private let answer: @Sendable (TransportRequest, Int) -> Answer

    /// - Parameter answer: Gets the request, and its number from 1.
    init(_ answer: @escaping @Sendable (TransportRequest, Int) -> Answer) {
        self.answer = answer
    }

    func start(_ request: TransportRequest, delivering receiver: any TransportReceiver) -> any TransportExchange {
        let number = requests.update { requests in
            requests.append(request)
            return requests.count
        }
        switch answer(request, number) {
        case .reply(let status, var headers, let text):
            // Without a length, an error's body might follow, and would have a timer beside those that a test waits for.
            let isEmptyError = !status.isSuccess && text.isEmpty
            if isEmptyError, !headers.contains("Content-Length") { headers.add("Content-Length", "0") }
            receiver.receive(.head(HTTPResponse(status: status, headers: headers, body: (), url: request.url)))
            if !text.isEmpty { receiver.receive(.chunk(Data(text.utf8), received: Int64(text.utf8.count))) }
            receiver.receive(.finished)
        case .failure(let reason):
            receiver.receive(.failed(TransportFailure(reason)))
        case .silence:
            break
        }
        return ScriptedExchange()
    }

    /// A client on this transport, on a clock that a test moves.
    func client(
        _ scheduler: TestScheduler = TestScheduler(), _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration(baseURL: URL(string: "http://h"))
        change(&configuration)
        return HTTPClient(configuration: configuration, transport: self, scheduler: scheduler)
    }
}
