import Foundation
import StreamsHTTP
import Testing

@Suite struct LocalizedErrorTests {
    private let error: HTTPError

    init() throws {
        let response = HTTPResponse(
            status: .notFound, body: Data("secret".utf8), url: try #require(URL(string: "http://us:er@h/a")))
        error = HTTPError(.status(response), request: HTTPError.RequestSummary(method: .get, url: "http://h/a"))
    }

    @Test func localizesHTTPErrors() {
        let anyError: any Error = error
        #expect(anyError.localizedDescription == "GET http://h/a: the server answered 404")
    }

    @Test func localizesServiceErrors() throws {
        let local: any Error = ServiceError<Data>.local(error)
        #expect(local.localizedDescription == error.localizedDescription)
        let remote: any Error = ServiceError.remote(try #require(error.response))
        #expect(remote.localizedDescription == "http://h/a: the server answered 404")
    }

    @Test func localizesStatuses() {
        let status: any Error = HTTPStatus.notFound
        #expect(status.localizedDescription == "the server answered 404")
        #expect(String(reflecting: status) == "HTTP status 404" && "\(status)" == "404")
    }
}
