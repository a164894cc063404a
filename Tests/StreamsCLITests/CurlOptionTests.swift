import Foundation
import StreamsLoopback
import Testing

/// The options of curl that shape the request.
@Suite(.serialized) struct CurlOptionTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.otherwise { _ in .text("ok") }
    }

    // MARK: Spelling

    @Test func combinesShortOptions() async throws {
        let request = try await sent("-sSkG", server.url("/"), "-da=1")
        #expect(request.method == "GET")
        #expect(request.query == "a=1")
    }

    @Test func givesTheRestOfAWordToTheOptionWithAValue() async throws {
        let folder = try Folder()
        let run = try await Tool.run("-so\(folder.path("file"))", server.url("/"))
        #expect(run.status == 0, "\(run.errors)")
        #expect(folder.contents(of: "file") == "ok")
        let next = try await Tool.run("-so", folder.path("other"), server.url("/"))
        #expect(next.status == 0, "\(next.errors)")
        #expect(folder.contents(of: "other") == "ok")
    }

    @Test func acceptsLongNames() async throws {
        let request = try await sent(
            "--request", "PATCH", "--header=X-One: 1", "--data", "a", "--location", "--silent", "--max-time=30",
            "--http1.1", server.url("/"))
        #expect(request.method == "PATCH")
        #expect(request.headers["x-one"] == "1")
        #expect(request.text == "a")
    }

    @Test func namesTheUnknownOptionOfACombination() async throws {
        let run = try await Tool.run("-skQ", server.url("/"))
        #expect(run.status == 2)
        #expect(run.errors.hasPrefix("streams: unknown option -Q"))
    }

    // MARK: Credentials

    @Test(arguments: [["-u", "ada:s3cret"], ["-uada:s3cret"], ["--user", "ada:s3cret"], ["--user=ada:s3cret"]])
    func sendsCredentials(option: [String]) async throws {
        let request = try await sent(option + [server.url("/")])
        #expect(request.headers.values(of: "authorization") == ["Basic YWRhOnMzY3JldA=="])
    }

    @Test func allowsColonsInPasswords() async throws {
        let request = try await sent("-u", "ada:a:b", server.url("/"))
        #expect(request.headers["authorization"] == "Basic \(Data("ada:a:b".utf8).base64EncodedString())")
    }

    @Test func prefersAHeaderToCredentials() async throws {
        let request = try await sent("-u", "a:b", "-H", "Authorization: Bearer x", server.url("/"))
        #expect(request.headers.values(of: "authorization") == ["Bearer x"])
    }

    @Test func prefersCredentialsToThoseOfTheURL() async throws {
        let request = try await sent("-u", "ada:s3cret", "http://other:one@127.0.0.1:\(server.port)/")
        #expect(request.headers.values(of: "authorization") == ["Basic YWRhOnMzY3JldA=="])
    }

    @Test func dropsCredentialsForAnotherOrigin() async throws {
        let other = try LoopbackServer()
        other.on("GET", "/there", .text("there"))
        server.on("GET", "/away", .redirect(to: other.url("/there")))
        let run = try await Tool.run("-u", "ada:s3cret", server.url("/away"))
        #expect(run.text == "there")
        #expect(server.requests.first?.headers["authorization"] != nil)
        #expect(try #require(other.requests.first).headers["authorization"] == nil)
    }

    @Test func hidesCredentials() async throws {
        server.on("GET", "/busy", .status(503))
        let shown = ["-v", "--events", "-w", "%{url} %{url_effective} %{errormsg}"]
        let runs = [
            try await Tool.run("-u", "ada:s3cret", server.url("/"), "-v"),
            try await Tool(["-u", "ada:s3cret", server.url("/busy"), "--retry", "1"] + shown).start().end(),
            try await Tool(["-u", "ada:s3cret", "http://127.0.0.1:1/"] + shown).start().end(),
            try await Tool(["http://ada:s3cret@127.0.0.1:\(server.port)/"] + shown).start().end(),
            try await Tool(["-x", "http://ada:s3cret@127.0.0.1:1", "http://a.invalid/"] + shown).start().end(),
            try await Tool(["-x", "foo://ada:s3cret@127.0.0.1:1", "http://a.invalid/"] + shown).start().end(),
            try await Tool.run("-u", "s3cret", server.url("/")),
            try await Tool.run("-u", "ada:s3cret\n", server.url("/")),
        ]
        for run in runs {
            let text = run.text + run.errors
            #expect(!text.contains("s3cret") && !text.contains("YWRhOnMzY3JldA"), "\(text)")
        }
        #expect(runs.map(\.status).suffix(2) == [2, 2])
    }

    // MARK: Data

    @Test func joinsData() async throws {
        let folder = try Folder()
        try folder.write("c=3", to: "file")
        let request = try await sent(server.url("/"), "-d", "a=1", "--data-raw", "@b", "-d", "@\(folder.path("file"))")
        #expect(request.method == "POST")
        #expect(request.text == "a=1&@b&c=3")
        #expect(request.headers["content-type"] == "application/x-www-form-urlencoded")
    }

    @Test func encodesDataAsCurlDoes() async throws {
        let folder = try Folder()
        try folder.write("hi\n", to: "file")
        let request = try await sent(
            server.url("/"), "--data-urlencode", "a=b c&d/é~", "--data-urlencode", "=x y", "--data-urlencode", "x y",
            "--data-urlencode", "n@\(folder.path("file"))", "--data-urlencode", "@\(folder.path("file"))", "-d", "z=1")
        #expect(request.text == "a=b+c%26d%2F%C3%A9~&x+y&x+y&n=hi%0A&hi%0A&z=1")
    }

    @Test func addsDataToTheQuery() async throws {
        let first = try await sent("-G", server.url("/find?x=1#end"), "-d", "q=1", "--data-urlencode", "r=a b&")
        #expect(first.method == "GET")
        #expect(first.target == "/find?x=1&q=1&r=a+b%26")
        #expect(first.body.isEmpty)
        #expect(first.headers["content-type"] == nil)
    }

    @Test func looksForTheHeadOfAQuery() async throws {
        let request = try await sent("-IG", server.url("/find"), "--data-urlencode", "q=ü")
        #expect(request.method == "HEAD")
        #expect(request.target == "/find?q=%C3%BC")
    }

    // MARK: Forms

    @Test func sendsAForm() async throws {
        let folder = try Folder()
        try folder.write("text", to: "a.txt")
        try folder.write("image", to: "b.PNG")
        let request = try await sent(
            server.url("/"), "-F", "name=\"value;more\"", "-F", "typed=x;type=text/x; charset=utf-8", "-F",
            "file=@\(folder.path("a.txt"))", "-F", "image=@\(folder.path("b.PNG"));filename=\"c \\\"d\\\"\"", "-F",
            "text=<\(folder.path("a.txt"));type=text/csv", "--form-string", "literal=@x;type=y")
        #expect(request.method == "POST")
        let type = try #require(request.headers["content-type"])
        let prefix = "multipart/form-data; boundary="
        #expect(type.hasPrefix(prefix))
        let boundary = type.dropFirst(prefix.count).filter { $0 != "\"" }
        let parts = request.text.components(separatedBy: "--\(boundary)").dropFirst().dropLast()
        let disposition = "\r\nContent-Disposition: form-data; name="
        #expect(
            Array(parts) == [
                "\(disposition)\"name\"\r\n\r\nvalue;more\r\n",
                "\(disposition)\"typed\"\r\nContent-Type: text/x; charset=utf-8\r\n\r\nx\r\n",
                "\(disposition)\"file\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\ntext\r\n",
                "\(disposition)\"image\"; filename=\"c %22d%22\"\r\nContent-Type: image/png\r\n\r\nimage\r\n",
                "\(disposition)\"text\"\r\nContent-Type: text/csv\r\n\r\ntext\r\n",
                "\(disposition)\"literal\"\r\n\r\n@x;type=y\r\n",
            ])
    }

    @Test func sendsStandardInputAsAPart() async throws {
        let input = try Self.input("piped")
        let run = try await Tool.run(server.url("/"), "-F", "file=@-;filename=in.bin", input: input)
        #expect(run.status == 0, "\(run.errors)")
        let request = try #require(server.requests.first)
        #expect(request.text.contains("filename=\"in.bin\"\r\nContent-Type: application/octet-stream\r\n\r\npiped\r\n"))
        // Its length is known, because it has been read.
        #expect(request.headers["content-length"] != nil && request.headers["transfer-encoding"] == nil)
    }

    @Test func sendsSeveralFilesAsOnePart() async throws {
        let folder = try Folder()
        try folder.write("text", to: "a.txt")
        try folder.write("image", to: "b,c.png")
        let request = try await sent(
            server.url("/"), "-F", "f=@\(folder.path("a.txt"));filename=A,\"\(folder.path("b,c.png"))\";type=x/y; z=1")
        let parts = try Self.parts(of: request.text, request.headers["content-type"], "form-data")
        let part = try #require(parts.first)
        #expect(parts.count == 1 && part.hasPrefix("\r\nContent-Disposition: form-data; name=\"f\"\r\n"))
        let type = part.split(separator: "\r\n").first { $0.hasPrefix("Content-Type: ") }?.dropFirst(14)
        let files = try Self.parts(of: part, type.map(String.init), "mixed")
        #expect(
            files == [
                "\r\nContent-Disposition: attachment; filename=\"A\"\r\nContent-Type: text/plain\r\n\r\ntext\r\n",
                "\r\nContent-Disposition: attachment; filename=\"b,c.png\"\r\nContent-Type: x/y; z=1\r\n\r\nimage\r\n",
            ])
        #expect(request.headers["transfer-encoding"] == nil)
    }

    /// Returns the parts of a multipart body.
    private static func parts(of text: String, _ type: String?, _ subtype: String) throws -> [String] {
        let prefix = "multipart/\(subtype); boundary="
        let type = try #require(type)
        try #require(type.hasPrefix(prefix))
        let boundary = String(type.dropFirst(prefix.count).filter { $0 != "\"" })
        return Array(text.components(separatedBy: "--\(boundary)").dropFirst().dropLast())
    }

    @Test func stripsTheBlanksOfUnquotedValues() async throws {
        let request = try await sent(server.url("/"), "-F", "a= x ; TYPE= text/x ; q=1 ", "-F", "b=\" y \"")
        #expect(request.text.contains("name=\"a\"\r\nContent-Type: text/x ; q=1\r\n\r\nx\r\n"))
        #expect(request.text.contains("name=\"b\"\r\n\r\n y \r\n"))
    }

    @Test(arguments: [
        "a=b;c", "a=b;headers=X: y", "a=b;encoder=base64", "a=@file;more", "a=(", "=)", "a=\"b\" c", "a=b;type=c\u{7}",
    ]) func refusesWhatAFormCannotHave(part: String) async throws {
        let run = try await Tool.run(server.url("/"), "-F", part)
        #expect(run.status == 2, "\(run.errors)")
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: ["a=@/nonexistent", "a=</nonexistent", "a=@/"])
    func failsForAFileOfAFormThatCannotBeRead(part: String) async throws {
        let run = try await Tool.run(server.url("/"), "-F", part)
        #expect(run.status == 26, "\(run.errors)")
        #expect(server.requests.isEmpty)
    }

    /// curl sends the same methods, and no body either.
    @Test(arguments: [
        (["-d", "a"], "GET"), (["-X", "POST", "-d", "a"], "POST"), (["-X", "PUT", "-d", "a"], "PUT"),
        (["-X", "DELETE"], "DELETE"), (["-T", "-"], "GET"),
    ]) func keepsANamedMethodBehindARedirect(options: [String], method: String) async throws {
        server.otherwise { $0.target == "/from" ? .redirect(to: "/to", status: 303) : .text("ok") }
        let run = try await Tool([server.url("/from")] + options, input: Self.input("content")).start().end()
        #expect(run.text == "ok", "\(run.errors)")
        #expect(server.requests.last?.method == method && server.requests.last?.text == "")
    }

    @Test func joinsDocuments() async throws {
        let folder = try Folder()
        try folder.write("2}", to: "rest")
        let request = try await sent(server.url("/"), "--json", #"{"a":1,"b":"#, "--json", "@\(folder.path("rest"))")
        #expect(request.text == #"{"a":1,"b":2}"# && request.headers.values(of: "content-type") == ["application/json"])
    }

    // MARK: Conditions

    @Test func requestsWhatIsNewerThanADate() async throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        for (option, name) in [(date, "If-Modified-Since"), ("-\(date)", "If-Unmodified-Since")] {
            let run = try await Tool.run("-z", option, server.url("/"))
            #expect(run.status == 0, "\(run.errors)")
            #expect(server.requests.last?.headers[name] == date)
        }
        let run = try await Tool.run("-z", date, "-H", "If-Modified-Since: x", server.url("/"))
        #expect(run.status == 0 && server.requests.last?.headers.values(of: "If-Modified-Since") == ["x"])
        #expect(try await Tool.run("-z", "=\(date)", server.url("/")).status == 2)
    }

    @Test func keepsAFileThatIsStillCurrent() async throws {
        let folder = try Folder()
        server.on("GET", "/x") { $0.headers["If-Modified-Since"] == nil ? .text("first") : .status(304) }
        for _ in 1...2 {
            let run = try await Tool.run(server.url("/x"), "-o", folder.path("file"), "-z", folder.path("file"))
            #expect(run.status == 0, "\(run.errors)")
            #expect(folder.contents(of: "file") == "first")
        }
        let date = try #require(server.requests.last?.headers["If-Modified-Since"])
        let format = Date.ParseStrategy(
            format: """
                \(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits) \
                \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\
                \(second: .twoDigits) GMT
                """, locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt)
        #expect(abs(try Date(date, strategy: format).timeIntervalSinceNow) < 60)
        try await #expect(Tool.run(server.url("/x"), "-i", "-z", folder.path("file")).text.hasPrefix("HTTP/1.1 304"))
    }

    @Test func retriesARefusedConnection() async throws {
        let run = try await Tool.run(
            "http://127.0.0.1:1/", "--retry", "1", "--retry-delay", "0.01", "--retry-connrefused", "--events")
        #expect(run.status == 7 && run.lines.count { $0.contains(#""event":"retry""#) } == 1)
    }

    @Test func limitsTheSizeOfABody() async throws {
        server.on("GET", "/x", .text("0123456789"))
        #expect(try await Tool.run(server.url("/x"), "--max-filesize", "9").status == 63)
        #expect(try await Tool.run(server.url("/x"), "--max-filesize", "10").text == "0123456789")
    }

    // MARK: Connections

    @Test func connectsToTheGivenAddressOfAHostAndPort() async throws {
        let other = try LoopbackServer()
        other.otherwise { _ in .text("other") }
        let entry = "Example.invalid:\(server.port):127.0.0.1"
        for form in [entry, "+\(entry)"] {
            let run = try await Tool.run("--resolve", form, "http://example.INVALID:\(server.port)/")
            #expect(run.text == "ok", "\(run.errors)")
        }
        #expect(server.requests.last?.headers["host"]?.lowercased() == "example.invalid:\(server.port)")
        // The entry is that of one port, also after a redirect.
        server.on("GET", "/away", .redirect(to: "http://example.invalid:\(other.port)/"))
        let away = try await Tool.run("--resolve", entry, "http://example.invalid:\(server.port)/away")
        #expect(away.status == 6 && other.requests.isEmpty)
    }

    @Test(arguments: [
        "a:1", "a:1:", "a:1:b", "a:x:127.0.0.1", ":1:127.0.0.1", "*:1:127.0.0.1", "-a:1", "a:1:127.0.0.1,127.0.0.2",
        "a:0:127.0.0.1", "a:70000:127.0.0.1", "a:1:[127.0.0.1",
    ]) func refusesAddressesThatItCannotUse(value: String) async throws {
        #expect(try await Tool.run("--resolve", value, server.url("/")).status == 2)
    }

    /// The server listens at an IPv4 address.
    @Test func connectsToAddressesOfAFamily() async throws {
        let url = "http://localhost:\(server.port)/"
        #expect(try await Tool.run("-4", url).text == "ok")
        let other = try await Tool.run("--ipv6", url)
        #expect([6, 7].contains(other.status) && server.requests.count == 1, "\(other.errors)")
        #expect(try await Tool.run("-4", "-6", url).status == 2)
    }

    @Test func sendsDotSegmentsOnlyWhenAsked() async throws {
        let url = server.url("/simple/../a/./b?c=/../")
        #expect(try await Tool.run(url).status == 0)
        #expect(try await Tool.run("--path-as-is", url).status == 0)
        #expect(server.requests.map(\.target) == ["/a/b?c=/../", "/simple/../a/./b?c=/../"])
    }

    @Test func reachesHostsWithoutAProxy() async throws {
        let refusing = "http://127.0.0.1:1"
        let environment = ["http_proxy": refusing, "NO_PROXY": "example.com"]
        let url = server.url("/")
        for option in ["127.0.0.1", "example.com,127.0.0.1", "*"] {
            let run = try await Tool.run("--noproxy", option, url, environment: environment)
            #expect(run.status == 0, "\(run.errors)")
            #expect(try await Tool.run("-x", refusing, "--noproxy", option, url).status == 0)
            #expect(try await Tool.run("--noproxy", option, "-x", refusing, url).status == 0)
        }
        // The list replaces that of the environment.
        let other = ["http_proxy": refusing, "no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1"]
        for option in ["", "example.com"] {
            #expect(try await Tool.run("--noproxy", option, url, environment: other).status == 7)
            #expect(try await Tool.run("-x", refusing, "--noproxy", option, url, environment: other).status == 7)
        }
    }

    @Test func speaksHTTP2WithoutTLSOnlyIfToldTo() async throws {
        #expect(try await Tool.run("--http2", server.url("/")).status == 2)
        #expect(try await Tool.run("--http2-prior-knowledge", "https://127.0.0.1:1/").status == 2)
        #expect(try await Tool.run("--http2", "https://127.0.0.1:1/").status == 7)
        #expect(try await Tool.run("--http2-prior-knowledge", "http://127.0.0.1:1/").status == 7)
    }

    // MARK: Uploads

    @Test(arguments: [
        ("", "/a%20file"), ("/", "/a%20file"), ("/d/", "/d/a%20file"), ("/d", "/d"), ("/d/?q=/", "/d/a%20file?q=/"),
    ])
    func uploadsAFile(path: String, target: String) async throws {
        let folder = try Folder()
        let bytes = Data(GeneratedBytes.bytes(0..<50_000))
        try bytes.write(to: URL(filePath: folder.path("a file")))
        let request = try await sent("-T", folder.path("a file"), "http://127.0.0.1:\(server.port)\(path)")
        #expect(request.method == "PUT")
        #expect(request.target == target)
        #expect(Data(request.body) == bytes)
        #expect(request.headers["content-length"] == "50000")
        #expect(request.headers["content-type"] == nil)
    }

    @Test func uploadsStandardInput() async throws {
        let run = try await Tool.run("-T", "-", server.url("/d/"), input: try Self.input("piped"))
        #expect(run.status == 0, "\(run.errors)")
        let request = try #require(server.requests.first)
        #expect(request.method == "PUT")
        #expect(request.target == "/d/")
        #expect(request.text == "piped")
        #expect(request.headers["transfer-encoding"] == "chunked")
    }

    @Test func uploadsWithAnotherMethod() async throws {
        let request = try await sent("-X", "POST", "-T", "-", server.url("/"))
        #expect(request.method == "POST")
    }

    @Test func failsForAnUploadThatCannotBeRead() async throws {
        let run = try await Tool.run("-T", "/nonexistent/file", server.url("/"))
        #expect(run.status == 26)
        #expect(run.errors.contains("/nonexistent/file: No such file or directory"))
    }

    // MARK: Proxies

    @Test(arguments: ["", "http://", "http://ada:s3cret@"])
    func usesAProxy(prefix: String) async throws {
        let request = try await sent("-x", "\(prefix)127.0.0.1:\(server.port)", "http://example.invalid/path")
        #expect(request.target == "http://example.invalid/path")
        let credentials = prefix.contains("@") ? "Basic YWRhOnMzY3JldA==" : nil
        #expect(request.headers["proxy-authorization"] == credentials)
        #expect(request.headers["authorization"] == nil)
    }

    @Test func prefersTheOptionToTheEnvironment() async throws {
        let environment = ["http_proxy": "http://127.0.0.1:1"]
        let none = try await Tool.run("-x", "", server.url("/"), environment: environment)
        #expect(none.status == 0, "\(none.errors)")
        let other = try await Tool.run("-x", server.url(""), "http://a.invalid/", environment: environment)
        #expect(other.status == 0, "\(other.errors)")
    }

    @Test func keepsTheExceptionsOfTheEnvironment() async throws {
        let environment = ["no_proxy": "example.com, 127.0.0.1"]
        let run = try await Tool.run("-x", "http://127.0.0.1:1", server.url("/"), environment: environment)
        #expect(run.status == 0, "\(run.errors)")
    }

    @Test func failsForAProxyThatRefuses() async throws {
        let run = try await Tool.run("-x", "http://127.0.0.1:1", server.url("/"))
        #expect(run.status == 7, "\(run.errors)")
        #expect(server.requests.isEmpty)
    }

    private static func input(_ text: String) throws -> FileHandle {
        let pipe = Pipe.uninherited()
        try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try pipe.fileHandleForWriting.close()
        return pipe.fileHandleForReading
    }

    /// The one request that a successful run sends.
    private func sent(_ arguments: String...) async throws -> RecordedRequest {
        try await sent(arguments)
    }

    private func sent(_ arguments: [String]) async throws -> RecordedRequest {
        let run = try await Tool(arguments).start().end()
        #expect(run.status == 0, "\(run.errors)")
        return try #require(server.requests.first)
    }
}
