import Foundation
import StreamsHTTP
import StreamsLoopback
import Testing

@testable import StreamsCLI

/// The files of `-K`.
@Suite(.serialized) struct ConfigurationFileTests {
    let server: LoopbackServer
    let folder: Folder

    init() throws {
        server = try LoopbackServer()
        folder = try Folder()
        server.otherwise { .text($0.target) }
    }

    private func run(_ arguments: String...) async throws -> Tool.Run {
        try await Tool.run(in: folder, arguments)
    }

    // The values are those of curl 7.88.
    @Test(
        arguments: [
            ("url = http://h/", "--url", "http://h/"), ("url: http://h/", "--url", "http://h/"),
            ("url http://h/", "--url", "http://h/"), ("  url\t=  \"http://h/\"  # comment", "--url", "http://h/"),
            ("url=http://h/\r", "--url", "http://h/"), ("url=http://h/#x", "--url", "http://h/#x"),
            ("--url http://h/", "--url", "http://h/"), ("-o \"a b\"", "-o", "a b"), ("-ofile", "-ofile", nil),
            ("silent", "--silent", nil), ("silent # comment", "--silent", nil), ("silent=", "--silent", nil),
            ("user-agent = \"\"", "--user-agent", ""),
            ("write-out = \"\\t<\\n\\r\\v>\\\"\\q\\\\\"", "--write-out", "\t<\n\r\u{0B}>\"q\\"),
            ("user = \"a:#b\"", "--user", "a:#b"), ("header = \"A: b\"", "--header", "A: b"),
            ("data = a=b", "--data", "a=b"), ("output = #1", "--output", "#1"), ("-o #1 # comment", "-o", "#1"),
            ("output = ä", "--output", "ä"), ("user-agent = = x", "--user-agent", "x"),
        ] as [(String, String, String?)])
    func areReadAsByCurl(line: String, name: String, value: String?) throws {
        let option = try #require(try ConfigurationOption(line: Data(line.utf8)))
        #expect(option.name == name)
        #expect(option.value?.string == value)
    }

    @Test(arguments: ["", "  \t", "# url = x", "   # x", "\r"]) func skipComments(line: String) throws {
        #expect(try ConfigurationOption(line: Data(line.utf8)) == nil)
    }

    @Test(arguments: [
        "url = http://h/ more", "user-agent = \"open", "user-agent = \"a\" b", "user-agent = \"a\\", "url = a\0b",
    ]) func refuseOtherLines(line: String) throws {
        #expect(throws: UsageError.self) { try ConfigurationOption(line: Data(line.utf8)) }
    }

    @Test func giveOptions() async throws {
        try folder.write(
            """
            # Two requests
            url = "\(server.url("/{a,b}"))"
            header = "X-One: 1"
            output = "#1 # b"
            -w "<%{http_code}>"
            next
              url: \(server.url("/c"))
            request PUT # comment
            --data-raw @c
            """, to: "options")
        let run = try await run("-K", "options", "-H", "X-Two: 2")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.text == "<200><200>/c")
        #expect(folder.contents(of: "a # b") == "/a" && folder.contents(of: "b # b") == "/b")
        #expect(server.requests.map(\.method) == ["GET", "GET", "PUT"])
        #expect(server.requests.map { $0.headers["x-one"] } == ["1", "1", nil])
        #expect(server.requests.map { $0.headers["x-two"] } == [nil, nil, "2"])
        #expect(server.requests.last?.text == "@c")
    }

    @Test func comeFromStandardInput() async throws {
        let pipe = Pipe.uninherited()
        try pipe.fileHandleForWriting.write(contentsOf: Data("url=\(server.url("/a"))\nuser = \"ada:\u{E4}\"\n".utf8))
        try pipe.fileHandleForWriting.close()
        let run = try await Tool.run("--config", "-", input: pipe.fileHandleForReading)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.text == "/a")
        let credentials = Data("ada:\u{E4}".utf8).base64EncodedString()
        #expect(server.requests.first?.headers["authorization"] == "Basic \(credentials)")
    }

    @Test func keepBytesThatAreNotUTF8() async throws {
        let content = Data("url=\(server.url("/a"))\ndata-raw=x".utf8) + [0xE4, 0x0A]
        try content.write(to: URL(filePath: folder.path("options")))
        let run = try await run("-K", "options")
        #expect(run.status == 0, "\(run.errors)")
        #expect(server.requests.first?.body == [0x78, 0xE4])
    }

    @Test func nameOtherFiles() async throws {
        try folder.write("config = two", to: "one")
        try folder.write("url = \(server.url("/a"))\n", to: "two")
        #expect(try await run("-K", "one").text == "/a")
        try folder.write("config = two", to: "two")
        let run = try await run("-K", "one")
        #expect(run.status == 2)
        #expect(run.errors.contains("the files of -K name each other too often"))
    }

    @Test(arguments: [
        ("url = x\n\nbogus = 1\n", "line 3 of options: unknown option --bogus"),
        ("silent = yes\n", "line 1 of options: --silent takes no value"),
        ("user\n", "line 1 of options: --user needs a value"),
        ("# x\nurl = a b\n", "line 2 of options: text follows the value of --url; a value with blanks is in quotes"),
        ("header = \"X: y\n", "line 1 of options: a quote is not closed"),
        ("retry = many\n", "line 1 of options: --retry needs a whole number"),
    ]) func nameTheLineOfAnError(content: String, message: String) async throws {
        try folder.write(content, to: "options")
        let run = try await run("-K", "options", server.url("/a"))
        #expect(run.status == 2)
        #expect(run.errors.hasPrefix("streams: \(message)"), "\(run.errors)")
        #expect(server.requests.isEmpty)
    }

    @Test func areRequired() async throws {
        let run = try await run("-K", "missing", server.url("/a"))
        #expect(run.status == 26)
        #expect(run.errors.contains("cannot read missing: No such file or directory"))
        #expect(server.requests.isEmpty)
    }

    @Test func areReadOnlyOnDemand() async throws {
        try folder.write("user-agent = curlrc\n", to: ".curlrc")
        for option in [["-q"], ["--disable"], []] {
            let script = #"cd "$1" && shift && HOME="$PWD" exec "$0" "$@""#
            let command = ["/bin/sh", "-c", script, try Tool.executable().path]
            let run = try await Tool([folder.path] + option + [server.url("/a")], command: command).start().end()
            #expect(run.status == 0, "\(run.errors)")
        }
        #expect(server.requests.allSatisfy { $0.headers["user-agent"] != "curlrc" })
    }
}
