import Foundation
import StreamsLoopback
import Testing

/// Arguments and files whose bytes are not UTF-8. The byte is an é in ISO-8859-1.
@Suite(.serialized) struct ByteArgumentTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.otherwise { _ in .text("ok") }
    }

    /// Runs the tool with options of a shell, in which `$e` is the byte, and the server's URL.
    private func run(_ options: String, in folder: Folder? = nil, environment: String = "") async throws -> Tool.Run {
        let script = #"cd "$2" && e=$(printf '\351') && \#(environment) "$0" \#(options) "$1""#
        return try await Tool.shell(script, server.url("/"), folder?.path ?? "/")
    }

    private func request(_ options: String, in folder: Folder? = nil) async throws -> RecordedRequest {
        let run = try await run(options, in: folder)
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        return try #require(server.requests.last)
    }

    @Test(arguments: [
        ("-d c$e", "c\u{e9}"), ("--data-raw @$e", "@\u{e9}"), ("--data-binary=é$e", "\u{c3}\u{a9}\u{e9}"),
        ("--data-urlencode a$e=é$e", "a\u{e9}=%C3%A9%E9"), ("-d a -d $e", "a&\u{e9}"), ("-d$e", "\u{e9}"),
        (#"--json "\"$e\"""#, "\"\u{e9}\""),
    ])
    func sendsData(options: String, latin1: String) async throws {
        let request = try await request(options)
        #expect(request.body == latin1.unicodeScalars.map { UInt8($0.value) })
    }

    @Test func sendsForms() async throws {
        let request = try await request(#"-F "é=$e" -F "b=\"$e\\\"é\";type=text/plain" --form-string "c=@$e""#)
        let boundary = try #require(request.headers["Content-Type"]?.split(separator: "boundary=").last)
        let parts: [(head: String, content: [UInt8])] = [
            ("name=\"é\"\r\n\r\n", [0xE9]), ("name=\"b\"\r\nContent-Type: text/plain\r\n\r\n", [0xE9] + "\"é".utf8),
            ("name=\"c\"\r\n\r\n", [0x40, 0xE9]),
        ]
        let body = parts.flatMap { part -> [UInt8] in
            Array("--\(boundary)\r\nContent-Disposition: form-data; \(part.head)".utf8) + part.content + [0x0D, 0x0A]
        }
        #expect(request.body == body + Array("--\(boundary)--\r\n".utf8))
    }

    @Test func sendsFields() async throws {
        let folder = try Folder()
        try Data("X-File: é".utf8 + [0xE9] + "\r\n\n# c".utf8 + [0xE9] + "\nX-Other: é".utf8)
            .write(to: URL(filePath: folder.path("fields")))
        let options = #"-H "X-A: é$e" -A "u$e" -e "r$e" -b "a=$e" -b "b=é" -H @fields"#
        let headers = try await request(options, in: folder).headers
        #expect(headers[bytes: "X-A"] == "é".utf8 + [0xE9])
        #expect(headers[bytes: "User-Agent"] == [0x75, 0xE9] && headers[bytes: "Referer"] == [0x72, 0xE9])
        #expect(headers[bytes: "Cookie"] == "a=".utf8 + [0xE9] + ";b=é".utf8)
        #expect(headers[bytes: "X-File"] == "é".utf8 + [0xE9] && headers["X-Other"] == "é")
        let input = try await request("-H @- <fields", in: folder).headers
        #expect(input[bytes: "X-File"] == "é".utf8 + [0xE9])
    }

    @Test func sendsCredentials() async throws {
        let credentials = Data([0x6E, 0xE9, 0x3A, 0x80, 0xC3, 0xA9]).base64EncodedString()
        let request = try await request(#"-u "n$e:$(printf '\200')é""#)
        #expect(request.headers["Authorization"] == "Basic \(credentials)")
    }

    @Test(arguments: [
        (#""$1caf$e/é?q=$e" "#, "/caf%E9/%C3%A9?q=%E9"), (#"-G -d "q=$e&r=é" "#, "/?q=%E9&r=%C3%A9"),
        (#"-- "$1$e" "#, "/%E9"), (#""$(echo "${1#http://}" | tr -d /)?q=$e" "#, "/?q=%E9"),
    ])
    func encodesURLs(options: String, target: String) async throws {
        _ = try await run(options)
        #expect(server.requests.contains { $0.target == target }, "\(server.requests.map(\.target))")
    }

    @Test func writesFormats() async throws {
        let run = try await run(#"-w "é$e\n%{response_code}%{$e}" "#)
        #expect(run.output == Data("oké".utf8 + [0xE9] + "\n200%{".utf8 + [0xE9] + "}".utf8))
    }

    @Test(arguments: [
        "-o out$e", "-T up$e", "-X P$e", "-c jar$e", "-b jar$e", "-b @jar$e", "-d @in$e", "-H @in$e", "-F a=@in$e",
        #"-F "a=b;filename=$e""#, "-F $e=a", "-w @in$e", "--cacert ca$e", "--sensitive $e", "--oauth2-bearer $e",
        "-r 0-$e", "--unix-socket s$e", "--data-urlencode a@in$e", "-e a --output=out$e", "-sSoout$e",
    ])
    func refusesWhatCannotBeKept(options: String) async throws {
        let folder = try Folder()
        let run = try await run(options, in: folder)
        #expect(run.status == 2)
        #expect(run.errors.hasSuffix("is not valid UTF-8. See streams --help.\n"), "\(run.errors)")
        #expect(try folder.names.isEmpty && server.requests.isEmpty)
    }

    @Test func readsTheEnvironment() async throws {
        let refused = try await run(#"-x "http://127.0.0.1:1""#, environment: "no_proxy=$e")
        #expect(refused.status == 2)
        #expect(refused.errors == "streams: the variable no_proxy is not valid UTF-8. See streams --help.\n")
        #expect(server.requests.isEmpty)
        let proxy = "http_proxy=http://u:$e@127.0.0.1:\(server.port)"
        let run = try await run("http://h/", environment: proxy)
        #expect(run.status == 0, "\(run.errors)")
        let authorization = server.requests.first { $0.target == "http://h/" }?.headers["Proxy-Authorization"]
        #expect(authorization == "Basic \(Data([0x75, 0x3A, 0xE9]).base64EncodedString())")
    }

    @Test func readsFieldsInJSONAndInNamesOfFiles() async throws {
        let disposition = "attachment; filename=\"caf".utf8 + [0xE9, 0x22]
        let fields = HeaderFields([HeaderFields.Field(name: "Content-Disposition", bytes: disposition)])
        server.on("GET", "/file", Reply(headers: fields, body: .text("content")))
        let folder = try Folder()
        let run = try await run(#"-OJ "$1file" -w '%{header_json}' #"#, in: folder)
        #expect(run.text.contains(#""content-disposition":["attachment; filename=\"café\""]"#), "\(run.text)")
        #expect(try folder.names == ["café"] && folder.contents(of: "café") == "content")
    }

    /// Only the last of a path's links must have a name that is UTF-8.
    @Test func replacesFilesInFoldersOfOtherBytes() async throws {
        let folder = try Folder()
        let inside = try await run("-o file", in: folder, environment: #"mkdir "d$e"; cd "d$e"; touch file;"#)
        #expect(inside.status == 0, "\(inside.errors)")
        let listing = try await run("", in: folder, environment: #"cat "d$e/file"; exit;"#)
        #expect(listing.text == "ok")
    }

    @Test func refusesLinksToFilesOfOtherNames() async throws {
        let folder = try Folder()
        let run = try await run("-o link", in: folder, environment: #"echo old >"f$e"; ln -s "f$e" link;"#)
        #expect(run.status == 23)
        #expect(run.errors.hasPrefix("streams: cannot open link: "), "\(run.errors)")
        let listing = try await self.run("", in: folder, environment: #"cat "f$e"; ls | wc -l; exit;"#)
        #expect(listing.lines == ["old", "2"])
    }
}
