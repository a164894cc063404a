import Testing

@testable import StreamsHTTP

/// The grammar has to refuse what is wrong, or nothing that goes through it proves anything.
@Suite struct EventGrammarTests {
    private static let address = URL(string: "http://h/")

    private enum Step {
        case attempt(Int = 1)
        case upload(Int64, of: Int64?)
        case head
        case chunk(Int)
        case download(Int64, of: Int64?)
        case retrying(Int = 1)
        case response(collected: Int = 0)
        case finished
        case failed(Int = 1)
    }

    private func violations(_ steps: [Step]) throws -> [String] {
        let url = try #require(Self.address)
        let summary = HTTPError.RequestSummary(method: .get, url: "http://h/")
        var grammar = EventGrammar()
        for step in steps {
            switch step {
            case .attempt(let number):
                grammar.accept(RequestEvent<Data>.attempt(HTTPRequest.Attempt(number: number, method: .get, url: url)))
            case .upload(let count, let total):
                grammar.accept(RequestEvent<Data>.uploadProgress(TransferProgress(completed: count, total: total)))
            case .head:
                grammar.accept(RequestEvent<Data>.head(HTTPResponse(status: .ok, body: (), url: url)))
            case .chunk(let count):
                grammar.accept(RequestEvent<Data>.chunk(Data(count: count)))
            case .download(let count, let total):
                grammar.accept(RequestEvent<Data>.downloadProgress(TransferProgress(completed: count, total: total)))
            case .retrying(let attempt):
                let error = HTTPError(.transfer(.emptyReply), request: summary, attempt: attempt)
                grammar.accept(RequestEvent<Data>.retrying(HTTPRequest.Retry(delay: .zero, error: error)))
            case .response(let count):
                grammar.accept(RequestEvent.response(HTTPResponse(status: .ok, body: Data(count: count), url: url)))
            case .finished:
                grammar.complete(.finished)
            case .failed(let attempt):
                grammar.complete(.failure(HTTPError(.cancelled, request: summary, attempt: attempt)))
            }
        }
        return grammar.violations
    }

    @Test func whatIsRightIsAccepted() throws {
        #expect(try violations([.attempt(), .head, .response(), .finished]) == [])
        #expect(
            try violations([.attempt(), .upload(1, of: 2), .upload(2, of: 2), .head, .response(), .finished]) == [])
        #expect(try violations([.attempt(), .head, .chunk(3), .download(3, of: 3), .response(), .finished]) == [])
        #expect(try violations([.attempt(), .head, .retrying(), .attempt(2), .failed(2)]) == [])
        #expect(try violations([.failed()]) == [])
    }

    @Test func orderIsHeld() throws {
        let wrong: [[Step]] = [
            [.head], [.attempt(), .chunk(1)], [.attempt(), .head, .upload(1, of: 1)], [.attempt(), .head, .head],
            [.attempt(), .response()], [.attempt(), .head, .response(), .chunk(1)], [.attempt(), .attempt(2)],
            [.attempt(), .head, .finished], [.attempt(), .download(1, of: 1)], [.attempt(2)],
            [.attempt(), .head, .response(), .finished, .head], [.attempt(), .failed(), .failed()],
            [.attempt(), .head, .response(), .failed()], [.attempt(), .failed(2)], [.attempt(), .retrying(2)],
        ]
        for steps in wrong { #expect(try violations(steps) != [], "\(steps)") }
    }

    @Test func aBodyIsNotDeliveredTwice() throws {
        #expect(try violations([.attempt(), .head, .chunk(1), .response(collected: 1)]) != [])
        #expect(try violations([.attempt(), .head, .chunk(1), .retrying()]) != [])
        #expect(try violations([.attempt(), .head, .chunk(0)]) != [])
    }

    @Test func progressIsHonest() throws {
        let wrong: [[Step]] = [
            [.upload(2, of: 3), .upload(1, of: 3)], [.upload(2, of: 3), .upload(2, of: 3)],
            [.upload(2, of: 3), .upload(3, of: nil)], [.head, .download(2, of: 3), .response()],
            [.head, .download(2, of: nil), .download(1, of: nil)],
        ]
        for steps in wrong { #expect(try violations([.attempt()] + steps) != [], "\(steps)") }
    }
}
