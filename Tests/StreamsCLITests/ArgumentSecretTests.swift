import Foundation
import StreamsLoopback
import Testing

@testable import StreamsCLI

/// The secrets of a command line, which other users of the machine could read for as long as the tool runs.
@Suite(.serialized) struct ArgumentSecretTests {
    @Test(
        arguments: [
            (["-u", "ada:s3cret"], ["-u", ""]), (["-uada:s3cret"], ["-u"]), (["-sSuada:s3cret"], ["-sSu"]),
            (["--user=ada:s3cret"], ["--user="]), (["--oauth2-bearer", "s3cret"], ["--oauth2-bearer", ""]),
            (["--pass", "s3cret", "-E", "a.pem:s3cret"], ["--pass", "", "-E", ""]),
            (["-x", "http://ada:s3cret@127.0.0.1:8080"], ["-x", "http://127.0.0.1:8080"]),
            (["-xada:s3@cret@127.0.0.1:8080"], ["-x127.0.0.1:8080"]), (["-b", "sid=s3cret"], ["-b", ""]),
            (["-b", "session.txt", "-c", "a=b"], ["-b", "session.txt", "-c", "a=b"]),
            (["-H", "authorization:Bearer s3cret"], ["-H", "authorization:<hidden>"]),
            (["-HPRIVATE-TOKEN: s3cret", "-H", "Accept: */*"], ["-HPRIVATE-TOKEN:<hidden>", "-H", "Accept: */*"]),
            (["-H", "X-Own: s3cret", "--sensitive", "X-Own"], ["-H", "X-Own:<hidden>", "--sensitive", "X-Own"]),
            (["-d", "user=ada&password=s3cret"], ["-d", "user=ada&password=******"]),
            (["-d", #"{"password":"s3cret"}"#], ["-d", #"{"password":"******"}"#]),
            (["--json", #"{"token":"s3cret"}"#], ["--json", #"{"token":"******"}"#]),
            (["-F", "password=s3cret", "-F", "a=@b"], ["-F", "password=******", "-F", "a=@b"]),
            (["https://ada:s3cret@h/?page=2"], ["https://h/?page=2"]),
            (["sse", "https://h/?access_token=s3cret"], ["sse", "https://h/?access_token=<hidden>"]),
            (["u:s3cret@h:8080/x?b=c@d"], ["h:8080/x?b=c@d"]), (["s3cret@h/x?sig=s3cret"], ["h/x?sig=<hidden>"]),
            (["ws", "u:s3cret@{a,b}.h/x"], ["ws", "{a,b}.h/x"]), (["--url", "s3cret@h"], ["--url", "h"]),
            (["u:s3cret@[::1]:80"], ["[::1]:80"]), (["h/?token=s3cret#a"], ["h/?token=<hidden>#a"]),
            (["-e", "https://h/?sig=s3cret"], ["-e", "https://h/?sig=<hidden>"]),
            (["--", "-u", "https://ada:s3cret@h/"], ["--", "-u", "https://h/"]),
            (["-u"], ["-u"]), (["--bogus", "-k", "-"], ["--bogus", "-k", "-"]), ([], []),
        ] as [([String], [String])])
    func redactsWords(words: [String], redacted: [String]) {
        #expect(ArgumentRedaction.redacting(words) == redacted)
    }

    #if os(Linux)
    /// Each command hides them before its first request.
    @Test(arguments: [[], ["sse"], ["lines"], ["poll", "--every", "60"], ["ws"], ["download"]] as [[String]])
    func hidesSecretsOfCommandLine(command: [String]) async throws {
        let server = try LoopbackServer()
        server.otherwise { _ in .text("0123456789").failing(with: .stall(at: .beforeHead)) }
        let folder = try Folder()
        let url = server.url("/file?access_token=s3cret&page=2")
        let output = command == [] || command == ["download"] ? ["-o", folder.path("file")] : []
        let arguments =
            command + ["-u", "ada:s3cret", "-b", "sid=s3cret", "-HX-Api-Key: s3cret", "--noproxy", "*"] + output + [url]
        let running = try Tool(arguments + ["-x", "http://ada:s3cret@127.0.0.1:1"]).start()
        try await server.wait { !$0.requests.isEmpty }
        let path = "/proc/\(running.process.processIdentifier)/cmdline"
        let line = try #require(try FileHandle(forReadingFrom: URL(filePath: path)).readToEnd())
        running.send(SIGKILL)
        _ = try await running.end()
        let blank = { String(repeating: " ", count: $0) }
        let hidden =
            command + ["-u", blank(10), "-b", blank(10), "-HX-Api-Key:\(blank(7))", "--noproxy", "*"] + output
            + [url.replacing("s3cret", with: blank(6)), "-x", "http://\(blank(11))127.0.0.1:1"]
        let words = String(decoding: line, as: UTF8.self).split(separator: "\0", omittingEmptySubsequences: false)
        #expect(words.dropFirst().dropLast().map(String.init) == hidden)
    }
    #endif
}
