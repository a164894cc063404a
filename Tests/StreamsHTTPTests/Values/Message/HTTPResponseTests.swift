import StreamsHTTP
import Testing

struct HTTPResponseTests {
    @Test func descriptionIsALineWithoutSecrets() {
        let url = URL(literal: "https://h/p?api_key=secret")
        let response = HTTPResponse(status: .created, body: Data("secret".utf8), url: url)
        #expect("\(response)" == "HTTP/1.1 201, https://h/p?api_key=<hidden>")
    }
}
