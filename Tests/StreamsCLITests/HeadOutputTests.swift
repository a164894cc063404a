import Foundation
import StreamsLoopback
import Testing

/// `-i`, `-I`, `-f` and `-s`.
@Suite(.serialized) struct HeadOutputTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.on("GET", "/", Reply(headers: ["X-One": "1", "X-Two": "2"], body: .text("body")))
    }

    private static let head = "HTTP/1.1 200 OK\r\nX-One: 1\r\nX-Two: 2\r\nContent-Length: 4\r\n\r\n"

    @Test func writesTheHeadBeforeTheBody() async throws {
        let run = try await Tool.run("-i", server.url("/"))
        #expect(run.text == Self.head + "body")
        #expect(try await Tool.run("-io", "-", server.url("/")).text == run.text)
        let folder = try Folder()
        let file = try await Tool.run("-i", server.url("/"), "-o", folder.path("file"))
        #expect(file.output.isEmpty)
        #expect(folder.contents(of: "file") == Self.head + "body")
    }

    @Test func writesTheHeadsOfRedirects() async throws {
        server.on("GET", "/old", .redirect(to: "/"))
        let run = try await Tool.run("-i", server.url("/old"))
        #expect(run.text == "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n" + Self.head + "body")
    }

    @Test func writesNoHeadOfARetriedResponse() async throws {
        server.on("GET", "/busy", .text("busy", status: 503), .text("well"))
        let run = try await Tool.run("-i", server.url("/busy"), "--retry", "1")
        #expect(run.status == 0)
        #expect(run.text.components(separatedBy: "HTTP/1.1").count == 2, "\(run.text)")
        #expect(run.text.hasPrefix("HTTP/1.1 200 OK\r\n") && run.text.hasSuffix("\r\n\r\nwell"))
    }

    @Test func writesTheHeadOfTheLastRetry() async throws {
        server.on("GET", "/busy", .text("busy", status: 503))
        let run = try await Tool.run("-i", server.url("/busy"), "--retry", "1")
        #expect(run.status == 22)
        #expect(
            run.text.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n") && run.text.hasSuffix("\r\n\r\nbusy"),
            "\(run.text)")
    }

    @Test(arguments: [("", "HTTP/1.1 200 \r\n"), ("Quite  Right: é", "HTTP/1.1 200 Quite  Right: é\r\n")])
    func writesTheReasonPhraseAsReceived(reason: String, line: String) async throws {
        server.on("GET", "/x", Reply(reason: reason, body: .text("x")))
        #expect(try await Tool.run("-i", server.url("/x")).text.hasPrefix(line))
    }

    @Test func writesTheBytesOfFields() async throws {
        let fields = HeaderFields([HeaderFields.Field(name: "X-A", bytes: "caf".utf8 + [0xE9])])
        server.on("GET", "/bytes", Reply(headers: fields, body: .text("body")))
        let run = try await Tool.run("-i", server.url("/bytes"), "-w", "<%header{x-a}>")
        let head = "HTTP/1.1 200 OK\r\nX-A: caf".utf8 + [0xE9] + "\r\nContent-Length: 4\r\n\r\n".utf8
        #expect(run.output == Data(head + "body<caf".utf8 + [0xE9] + ">".utf8))
    }

    @Test func asksForTheHeadOnly() async throws {
        let run = try await Tool.run("-I", server.url("/"))
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.text == Self.head)
        #expect(server.requests.first?.method == "HEAD")
    }

    @Test func omitsTheBodyOfAnError() async throws {
        let folder = try Folder()
        for option in ["-f", "-fi"] {
            let run = try await Tool.run(option, server.url("/missing"))
            #expect(run.status == 22)
            #expect(run.output.isEmpty)
            #expect(run.errors == "streams: the server answered 404\n")
            let file = try await Tool.run(option, server.url("/missing"), "-o", folder.path("file"))
            #expect(file.status == 22)
            #expect(try folder.names.isEmpty)
        }
        #expect(try await Tool.run("-f", server.url("/")).text == "body")
    }

    @Test func writesTheBodyOfAnError() async throws {
        let run = try await Tool.run("--fail-with-body", server.url("/missing"))
        #expect(run.status == 22)
        #expect(run.text == "no such route\n")
        #expect(try await Tool.run("--fail-with-body", "-f", server.url("/")).status == 2)
    }

    @Test func showsNoErrorsIfSilent() async throws {
        let silent = try await Tool.run("-s", server.url("/missing"), "--progress", "always")
        #expect(silent.status == 22)
        #expect(silent.errors.isEmpty)
        let refused = try await Tool.run("-s", "http://127.0.0.1:1/")
        #expect(refused.status == 7)
        #expect(refused.errors.isEmpty)
        let loud = try await Tool.run("-sS", server.url("/missing"), "--progress", "always")
        #expect(loud.errors == "streams: the server answered 404\n")
    }
}
