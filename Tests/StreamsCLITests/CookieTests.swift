import Foundation
import StreamsLoopback
import Testing

/// The cookies of `-b`, `-c` and `-j`.
@Suite(.serialized) struct CookieTests {
    private let server: LoopbackServer
    private let folder: Folder
    private let title = "# Netscape HTTP Cookie File\n\n"

    init() throws {
        server = try LoopbackServer()
        folder = try Folder()
        server.otherwise { .text($0.headers["Cookie"] ?? "none") }
        server.on(
            "GET", "/login",
            Reply(302, headers: ["Location": "/page", "Set-Cookie": "id=1", "Set-Cookie": "old=; Max-Age=0"]))
    }

    private func write(_ lines: String..., to name: String = "cookies", mode: Int = 0o600) throws -> String {
        try folder.write(title + lines.map { "\($0)\n" }.joined(), to: name, mode: mode)
    }

    @Test func keepsCookiesWithoutAFile() async throws {
        #expect(try await Tool.run("-b", "", server.url("/login")).text == "id=1")
        #expect(try await Tool.run(server.url("/login")).text == "none")
        #expect(try await Tool.run("-b", "", server.url("/login"), server.url("/")).text == "id=1id=1")
    }

    @Test func readsFiles() async throws {
        let first = try write("127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t1", "127.0.0.1\tFALSE\t/\tFALSE\t4102444800\told\t2")
        let second = try write("127.0.0.1\tFALSE\t/\tTRUE\t0\tb\t3", to: "second", mode: 0o644)
        #expect(try await Tool.run("-b", first, server.url("/")).text == "a=1; old=2")
        #expect(try await Tool.run("-b", first, "-b", second, server.url("/login")).text == "a=1; b=3; id=1")
        #expect(try await Tool.run("-b", "@\(first)", "-j", server.url("/")).text == "old=2")
        #expect(try await Tool.run("-b", folder.path("missing"), server.url("/login")).text == "id=1")
        #expect(try folder.names == ["cookies", "second"])
    }

    /// Heads do not say which host has sent them: it is that of the URL, and no other.
    @Test func readsHeadsOfResponses() async throws {
        let heads =
            "HTTP/1.1 302 Found\r\nset-cookie:a=1; Path=/x\r\n\r\nHTTP/1.1 200 OK\r\nSet-Cookie: b=2; Secure\r\n"
        let path = try folder.write(
            heads + "Set-Cookie: c=3; Domain=example.com\r\nX: Set-Cookie: d=4\r\n\r\n", to: "heads")
        let other = try LoopbackServer()
        other.otherwise { .text($0.headers["Cookie"] ?? "none") }
        server.on("GET", "/away", .redirect(to: other.url("/").replacing("127.0.0.1", with: "localhost")))
        #expect(try await Tool.run("-b", path, server.url("/x")).text == "a=1; b=2")
        #expect(try await Tool.run("-b", path, server.url("/x/y"), server.url("/")).text == "a=1; b=2b=2")
        #expect(try await Tool.run("-b", path, server.url("/away")).text == "none")
        try folder.write("HTTP/1.1 200 OK\r\n\r\n", to: "heads")
        #expect(try await Tool.run("-b", path, server.url("/login")).text == "id=1")
    }

    @Test func readsStandardInputAndDevices() async throws {
        let path = try write("127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t1")
        let input = try #require(FileHandle(forReadingAtPath: path))
        #expect(try await Tool.run("-b", "-", server.url("/"), input: input).text == "a=1")
        #expect(try await Tool.run("-b", "/dev/null", server.url("/login")).text == "id=1")
        #expect(try await Tool.shell("cat \"$1\" | \"$0\" -b /dev/stdin \"$2\"", path, server.url("/")).text == "a=1")
    }

    /// A device that a file replaced, such as `/dev/null`, would be lost to all programs. A FIFO stands for it.
    @Test func replacesNoFIFO() async throws {
        let script = """
            mkfifo "$1" || exit; cat "$1" & "$0" -c "$1" -s -o "$2" "$3"; [ -p "$1" ] || kill $!; wait $!
            """
        let run = try await Tool.shell(script, folder.path("fifo"), folder.path("body"), server.url("/login"))
        #expect(run.status == 0 && run.text == "\(title)127.0.0.1\tFALSE\t/\tFALSE\t0\tid\t1\n", "\(run)")
    }

    /// As curl, the tool sends both, and the data only to the first origin.
    @Test func sendsDataBesideTheFile() async throws {
        let path = try write("127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t1")
        #expect(
            try await Tool.run("-b", path, "-b", "b=2", "-b", "c=3", server.url("/login")).text == "a=1; id=1; b=2;c=3")
        #expect(try await Tool.run("-b", path, "-b", "b=2", "-H", "Cookie: c=3", server.url("/")).text == "c=3")
        #expect(try await Tool.run("-b", path, "-H", "Cookie:", server.url("/")).text == "none")
        let other = try LoopbackServer()
        other.otherwise { .text($0.headers["Cookie"] ?? "none") }
        server.on("GET", "/away", .redirect(to: other.url("/")))
        #expect(try await Tool.run("-b", path, "-b", "b=s3cret", server.url("/away")).text == "a=1")
    }

    @Test func writesTheFileAtTheEnd() async throws {
        let run = try await Tool.run("-c", folder.path("jar"), server.url("/login"))
        #expect(run.status == 0 && run.text == "id=1", "\(run.errors)")
        #expect(folder.contents(of: "jar") == title + "127.0.0.1\tFALSE\t/\tFALSE\t0\tid\t1\n")
        #expect(try folder.mode(of: "jar") == 0o600)
        // The file is not read unless -b names it.
        #expect(try await Tool.run("-c", folder.path("jar"), server.url("/")).text == "none")
        #expect(folder.contents(of: "jar") == title)
        #expect(
            try await Tool.run("-c", "-", server.url("/login")).text
                == "id=1\(title)127.0.0.1\tFALSE\t/\tFALSE\t0\tid\t1\n")
        server.on("GET", "/missing", Reply(404, headers: ["Set-Cookie": "late=1"]))
        #expect(try await Tool.run("-c", folder.path("jar"), server.url("/missing")).status == 22)
        #expect(folder.contents(of: "jar")?.contains("late\t1") == true)
    }

    @Test func readsAndWritesOneFile() async throws {
        let lines = ["127.0.0.1\tFALSE\t/\tFALSE\t4102444800\told\t2", "h.example\tFALSE\t/\tTRUE\t0\tother\t3"]
        let path = try write(lines[0], lines[1], mode: 0o644)
        #expect(try await Tool.run("-b", path, "-c", path, server.url("/login")).text == "id=1")
        #expect(folder.contents(of: "cookies") == title + "\(lines[1])\n127.0.0.1\tFALSE\t/\tFALSE\t0\tid\t1\n")
        #expect(try folder.mode(of: "cookies") == 0o600)
        #expect(try await Tool.run("-b", path, "-c", path, "-j", server.url("/")).text == "none")
        #expect(folder.contents(of: "cookies") == title)
    }

    @Test func keepsBytesThatAreNotUTF8() async throws {
        let cookie = [0x6E, 0xE9, 0x3D, 0x76, 0xE9] as [UInt8]
        let fields = HeaderFields([HeaderFields.Field(name: "Set-Cookie", bytes: cookie + "; Path=/".utf8)])
        server.on("GET", "/set", Reply(headers: fields))
        let path = folder.path("cookies")
        #expect(try await Tool.run("-c", path, server.url("/set")).status == 0)
        let line = "127.0.0.1\tFALSE\t/\tFALSE\t0\tn".utf8 + [0xE9] + "\tv".utf8 + [0xE9, 0x0A]
        let contents = Data(title.utf8 + line)
        #expect(folder.data(of: "cookies") == contents)
        let run = try await Tool.run("-b", path, "-b", "b=2", "-c", path, server.url("/"))
        #expect(run.status == 0, "\(run.errors)")
        #expect(server.requests.last?.headers[bytes: "Cookie"] == cookie + "; b=2".utf8)
        #expect(folder.data(of: "cookies") == contents)
    }

    @Test func otherCommandsHaveCookies() async throws {
        let path = try write("127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t1")
        let output = folder.path("file")
        #expect(try await Tool.run("download", "-b", path, "-s", "-o", output, server.url("/file")).status == 0)
        #expect(folder.contents(of: "file") == "a=1")
        let lines = try await Tool.run("lines", "-b", path, "-b", "b=2", "-s", "--no-reconnect", server.url("/lines"))
        #expect(lines.text == "a=1; b=2\n")
    }

    @Test func reportsFiles() async throws {
        let other = try folder.write("{}", to: "other")
        for arguments in [["-b", other], ["-b", folder.path], ["-b", other, "-c", other], ["-j"]] {
            let run = try await Tool(arguments + [server.url("/")]).start().end()
            #expect(run.status == 2 && run.errors.split(separator: "\n").count == 1, "\(run)")
        }
        #expect(folder.contents(of: "other") == "{}" && server.requests.isEmpty)
        let run = try await Tool.run("-c", folder.path("none/jar"), server.url("/"))
        #expect(run.status == 23 && run.text == "none" && run.errors.contains("cannot write"), "\(run)")
    }

    @Test func showsNoCookies() async throws {
        let path = try write("127.0.0.1\tFALSE\t/\tFALSE\t0\ta\ts3cret")
        let run = try await Tool.run("-v", "-b", path, "-b", "b=s3cret", "-o", "/dev/null", server.url("/"))
        #expect(run.status == 0 && run.errors.contains("Cookie: ") && !run.errors.contains("s3cret"), "\(run.errors)")
    }
}
