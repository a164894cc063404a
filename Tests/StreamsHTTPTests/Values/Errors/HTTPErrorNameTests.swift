import Foundation
import StreamsHTTP
import Testing

@Suite struct HTTPErrorNameTests {
    @Test func namesAreUnique() {
        let names = HTTPError.Reason.all.map(\.name)
        #expect(Set(names).count == names.count)
    }

    @Test(arguments: HTTPError.Reason.all.map(\.name)) func namesAreDotted(name: String) throws {
        let pattern = /[a-z][a-z0-9]*(-[a-z0-9]+)*(\.[a-z][a-z0-9]*(-[a-z0-9]+)*)?/
        #expect(try pattern.wholeMatch(in: name) != nil)
    }

    /// The name of a kind begins with that of its reason.
    @Test func namesBeginWithTheirReasons() {
        for reason in HTTPError.Reason.all {
            let expected =
                switch reason {
                case .invalidRequest: "invalid-request."
                case .connection: "connection."
                case .timeout: "timeout."
                case .transfer: "transfer."
                case .webSocket: "web-socket."
                case .redirect: "redirect."
                case .status: "status"
                case .decoding: "decoding"
                case .authorization: "authorization."
                case .thrown: "thrown."
                case .cancelled: "cancelled"
                }
            #expect(reason.name.hasPrefix(expected))
        }
    }

    @Test func articleListsAllNames() throws {
        let root = URL(filePath: #filePath).appending(path: "../../../../..").standardizedFileURL
        let article = root.appending(path: "Sources/StreamsHTTP/StreamsHTTP.docc/HandlingErrors.md")
        let lines = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "\n")
        let rows = lines.filter { $0.hasPrefix("| `") && !$0.hasPrefix("| ``") }
        let names = rows.map { $0.components(separatedBy: "`")[1] }
        #expect(names.sorted() == HTTPError.Reason.all.map(\.name).sorted())
    }

    @Test func errorsHaveTheNamesOfTheirReasons() {
        let summary = HTTPError.RequestSummary(method: .get, url: "http://h/")
        for reason in HTTPError.Reason.all { #expect(HTTPError(reason, request: summary).name == reason.name) }
    }

    @Test func patternsWithoutDetailsMatchAllDetails() {
        func isTooLarge(_ reason: HTTPError.Reason) -> Bool {
            if case .transfer(.bodyTooLarge) = reason { true } else { false }
        }
        func isLargerThanFive(_ reason: HTTPError.Reason) -> Bool {
            if case .transfer(.bodyTooLarge(limit: 5)) = reason { true } else { false }
        }
        let five = HTTPError.Reason.transfer(.bodyTooLarge(limit: 5))
        let six = HTTPError.Reason.transfer(.bodyTooLarge(limit: 6))
        #expect(isTooLarge(five) && isTooLarge(six) && isTooLarge(.transfer(.bodyTooLarge)))
        #expect(!isTooLarge(.transfer(.emptyReply)))
        #expect(isLargerThanFive(five) && !isLargerThanFive(six) && !isLargerThanFive(.transfer(.bodyTooLarge)))
        #expect(HTTPError.Transfer.bodyTooLarge != .bodyTooLarge(limit: 5))
    }

    @Test func kindsTellTheirDetails() throws {
        let address = try #require(IPAddress("192.0.2.7"))
        #expect(HTTPError.Connection.addressNotAllowed(address).address == address)
        #expect(HTTPError.Transfer.bodyTooLarge(limit: 5).limit == 5)
        #expect(HTTPError.Redirect.tooMany(limit: 5).limit == 5 && HTTPError.Redirect.tooMany(limit: 5).value == nil)
        #expect(HTTPError.Redirect.unfollowable(location: "x").value == "x")
        #expect(HTTPError.InvalidRequest.unexpectedBody(.head).value == "HEAD")
        #expect(HTTPError.Authorization.provider(UnexpectedSuccess()).error is UnexpectedSuccess)
    }

    @Test func descriptionsSayWhichAndWhy() {
        let texts: [(HTTPError.InvalidRequest, String)] = [
            (.missingBaseURL("/a"), "the URL is relative, and the client has no base URL"),
            (.malformedBaseURL("h"), "the client's base URL \"h\" is malformed"),
            (.unsupportedScheme("h"), "the scheme h is not supported; a URL begins with http:// or https://"),
            (.headerName("a b"), "the header name \"a b\" is empty or has a character that is not allowed"),
            (.headerValue(of: "X-A"), "the value of the header \"X-A\" has a character that is not allowed"),
            (
                .framingHeader("Content-Length"),
                "the header \"Content-Length\" cannot be set by a request, because the transport sets it"
            ),
        ]
        for (invalid, text) in texts { #expect(invalid.description == text) }
    }

    @Test func descriptionsAreOneLine() {
        for reason in HTTPError.Reason.all {
            #expect(!reason.description.isEmpty && !reason.description.contains("\n"))
        }
    }

    @Test func tellsARefusedStatusFromAnUndecodableBody() {
        let response = HTTPResponse(status: .accepted, body: Data(), url: URL(literal: "http://h/"))
        let reason = HTTPError.Reason.decoding(HTTPStatus.accepted, response)
        #expect(reason.description == "the decoder refused the status 202")
    }
}
