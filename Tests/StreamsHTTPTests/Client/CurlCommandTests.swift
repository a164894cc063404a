import Foundation
import Testing

@testable import StreamsHTTP

@Suite(.reservesDescriptors) struct CurlCommandTests {
    /// Runs a command in a shell whose curl writes down its arguments and its input.
    private func run(_ command: String) throws -> (arguments: [String], input: Data) {
        let folder = try ServerFolder("curl")
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        let curl = #"curl() { for a; do printf '%s\0' "$a"; done >"$0/arguments"; cat >"$0/input"; }"#
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", "\(curl)\n\(command)", folder.path]
        shell.standardInput = FileHandle.nullDevice
        try shell.run()
        #expect(shell.waitForStatus() == 0)
        let arguments = try Data(contentsOf: URL(filePath: folder.path("arguments")))
        let input = try Data(contentsOf: URL(filePath: folder.path("input")))
        return (
            arguments.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
                FieldText(bytes: $0).string
            }, input
        )
    }

    @Test func aShellReadsWhatWasMeant() throws {
        let request = HTTPRequest(.post, "http://h/it's?x=$HOME&y=`id`")
            .addingHeader("X-Quoted", #"it's "so" \ $HOME"#).addingHeader("X-Empty", "")
            .addingQueryItem("q", "a b'c")
            .settingBody(.text("@it's\n$(id) \\ \"é\" 🎈"))
        let (arguments, _) = try run(request.curlCommand())
        #expect(
            arguments == [
                "--request", "POST", "--url", "http://h/it's?x=$HOME&y=`id`&q=a%20b%27c", "--header",
                #"X-Quoted: it's "so" \ $HOME"#, "--header", "X-Empty;", "--header",
                "Content-Type: text/plain; charset=utf-8", "--data-raw", "@it's\n$(id) \\ \"é\" 🎈",
            ])
    }

    /// With a mark behind it a quote is another letter to Swift, and a quote to the shell.
    @Test(arguments: ["\u{301}", "\u{200D}", "\u{FE0F}"])
    func marksBehindQuotesDoNotFreeThem(mark: String) throws {
        let text = "it'\(mark); printf injected; '\(mark)"
        let (arguments, _) = try run(HTTPRequest(.post, "http://h/", body: .text(text)).curlCommand())
        let last = try #require(arguments.last)
        #expect(last.unicodeScalars.elementsEqual(text.unicodeScalars))
    }

    @Test func bytesThatAreNoTextAreSentAsTheyAre() throws {
        let bytes = Data((0...255).map { UInt8($0) } + Array("0'%\\".utf8))
        let (arguments, input) = try run(HTTPRequest(.put, "http://h/", body: .data(bytes)).curlCommand())
        #expect(arguments.suffix(2) == ["--data-binary", "@-"])
        #expect(input == bytes)
    }

    @Test func fieldsOfOtherBytesAreSentAsTheyAre() throws {
        var request = HTTPRequest(.get, "http://h/")
        // An e with an acute accent in both encodings, and a byte before a digit.
        let bytes = Array("it's \\n 100% \"\u{e9}\" $HOME `id`".utf8) + [0xE9, 0x31, 0xFF]
        request.headers[bytes: "X-A"] = bytes
        let (arguments, _) = try run(request.curlCommand())
        let line = FieldText(bytes: Array("X-A: ".utf8) + bytes)
        #expect(line.isLatin1 && arguments == ["--url", "http://h/", "--header", line.string])
        #expect(request.curlCommand().contains("\\3511\\377"))
    }

    @Test func aFormWithAFileIsSentAsItIs() throws {
        let folder = try ServerFolder("curl-form")
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        try folder.write(Data([0, 1, 2]), to: "it's")
        let form: MultipartForm = [.text("ä", "1"), .file("f", path: folder.path("it's"))]
        let request = HTTPRequest(.post, "http://h/", body: try .multipart(form, boundary: "b"))
        let (arguments, input) = try run(request.curlCommand())
        #expect(arguments.contains("Content-Type: multipart/form-data; boundary=b"))
        let head =
            "--b\r\nContent-Disposition: form-data; name=\"ä\"\r\n\r\n1\r\n--b\r\nContent-Disposition: form-data; "
        let file = "name=\"f\"; filename=\"it's\"\r\nContent-Type: application/octet-stream\r\n\r\n"
        #expect(input == Data((head + file).utf8) + [0, 1, 2] + Data("\r\n--b--\r\n".utf8))
    }

    @Test(.needs(.gzip)) func compressesBodyByGzip() throws {
        let text = #"{"password":"it's","n":"\#(String(repeating: "a", count: 100))"}"#
        let body = HTTPBody.text(text, contentType: "application/json").compressed(.gzip(level: 9))
        let request = HTTPRequest(.put, "http://h/", body: body)
        let (arguments, input) = try run(request.curlCommand(revealingSecrets: true))
        #expect(arguments.contains("Content-Encoding: gzip") && arguments.contains("Content-Type: application/json"))
        #expect(arguments.suffix(2) == ["--data-binary", "@-"])
        #expect(ContentCoding.decoded(input, of: ["gzip"], limit: 1 << 20) == Data(text.utf8))
        #expect(!request.curlCommand().contains("it"))
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        let hidden = try run(try client.curlCommand(for: request))
        #expect(hidden.arguments.filter { $0 == "Content-Encoding: gzip" }.count == 1)
        let sent = ContentCoding.decoded(hidden.input, of: ["gzip"], limit: 1 << 20)
        #expect(sent == Data(text.replacing("it's", with: "****").utf8))
        let other = HTTPRequest(.put, "http://h/", body: .file("/a b").compressed(.deflate))
        #expect(other.curlCommand().hasPrefix("{ { cat -- '/a b'; } | pigz -cz; } | curl "))
    }

    @Test func filesAreReadFromTheirPlace() throws {
        let (arguments, _) = try run(HTTPRequest(.put, "http://h/[1]", body: .file("/a b")).curlCommand())
        #expect(
            arguments == [
                "--globoff", "--request", "PUT", "--url", "http://h/[1]", "--header",
                "Content-Type: application/octet-stream", "--data-binary", "@/a b",
            ])
    }

    @Test func secretsAreShownOnRequestOnly() throws {
        let request = HTTPRequest(.get, "http://user:s3cret@h/").settingAuthorization(.bearer("s3cret"))
            .addingHeader("X-Key", "s3cret", isSensitive: true)
        #expect(!request.curlCommand().contains("s3cret"))
        #expect(try run(request.curlCommand()).arguments.contains("Authorization: <hidden>"))
        let revealed = try run(request.curlCommand(revealingSecrets: true)).arguments
        #expect(
            revealed == [
                "--url", "http://user:s3cret@h/", "--header", "Authorization: Bearer s3cret", "--header",
                "X-Key: s3cret",
            ])
    }

    @Test func aClientsDefaultsAreSentToo() throws {
        let configuration = HTTPClient.Configuration(
            baseURL: URL(literal: "http://u:s3cret@h/v1"), defaultHeaders: ["X-Team": "a"])
        let client = HTTPClient(configuration: configuration)
        let command = try client.curlCommand(for: HTTPRequest(.head, "/x"))
        #expect(!command.contains("s3cret"))
        let arguments = try run(command).arguments
        #expect(arguments.prefix(5) == ["--head", "--url", "http://h/v1/x", "--header", "X-Team: a"])
        #expect(arguments.contains("Authorization: <hidden>"))
        #expect(throws: HTTPError.self) { try client.curlCommand(for: HTTPRequest(.get, "ftp://h/")) }
    }
}
