import Foundation
import StreamsLoopback
import Testing

@testable import StreamsCLI

/// URLs that stand for several.
@Suite(.serialized) struct URLPatternTests {
    private static func urls(_ text: String) throws -> [String] {
        try URLPattern(text).map(\.url)
    }

    // The URLs are those of curl 7.88.
    @Test(arguments: [
        ("http://h/{a,b}/[1-3]", ["a/1", "a/2", "a/3", "b/1", "b/2", "b/3"]), ("http://h/[a-c]", ["a", "b", "c"]),
        ("http://h/[001-031:10]", ["001", "011", "021", "031"]), ("http://h/[a-e:2]", ["a", "c", "e"]),
        ("http://h/[08-11]", ["08", "09", "10", "11"]), ("http://h/[00-2]", ["00", "01", "02"]),
        ("http://h/[9-11]", ["9", "10", "11"]), ("http://h/[1-1]", ["1"]), ("http://h/{a,}", ["a", ""]),
        ("http://h/x{a}y", ["xay"]), ("http://h/{a\\,b,c}", ["a,b", "c"]), ("http://h/\\{x\\}\\[y\\]", ["{x}[y]"]),
        ("http://h/a\\b", ["a\\b"]), ("http://h/?a[]=1", ["?a[]=1"]), ("http://h/[::1]", ["[::1]"]),
        ("http://h/{ä,ö}", ["ä", "ö"]),
    ]) func standForSeveral(text: String, paths: [String]) throws {
        #expect(try Self.urls(text) == paths.map { "http://h/\($0)" })
    }

    @Test(arguments: ["[::1]", "[fe80::1%25eth0]", "[::ffff:127.0.0.1]"])
    func keepAddresses(host: String) throws {
        #expect(try Self.urls("http://\(host):80/{a,b}") == ["http://\(host):80/a", "http://\(host):80/b"])
        #expect(try !URLPattern("http://\(host)/").hasPatterns)
    }

    @Test(arguments: [
        "{}", "[3-1]", "a]", "a}", "{a", "[1-3", "[1-3:5]", "[1-3:0]", "[a-Z]", "[Z-a]", "[A-c]", "[1 - 3]", "[x]",
        "a[0]=1", "{a,[1-2]}", "{a,{b}}", "{a,b]}", "[-1-3]", "[1-a]", "[1-1:2]", "[1-99999999999999999999]", "[1-]",
        "[0-9223372036854775807]", "[1-9223372036854775807][1-2]", "[:1]",
    ]) func refuseOthers(text: String) async throws {
        let run = try await Tool.run("http://127.0.0.1:1/\(text)")
        #expect(run.status == 3, "\(run.errors)")
        #expect(run.errors.contains("-g takes braces and brackets as they are"))
        #expect(run.errors.split(separator: "\n").count == 1)
    }

    @Test func haveAnyNumberOfURLs() throws {
        let pattern = try URLPattern("http://h/[1-1000000000]/{a,b}")
        #expect(pattern.count == 2_000_000_000)
        #expect(pattern[1_999_999_999].url == "http://h/1000000000/b")
    }

    // MARK: Requests

    private func server() throws -> LoopbackServer {
        let server = try LoopbackServer()
        server.otherwise { .text($0.target) }
        return server
    }

    @Test func sendOneRequestEach() async throws {
        let server = try server()
        let run = try await Tool.run(server.url("/{a,b}[1-2]?q=[x-y]"), "-w", "\\n")
        #expect(run.status == 0, "\(run.errors)")
        let targets = ["/a1?q=x", "/a1?q=y", "/a2?q=x", "/a2?q=y", "/b1?q=x", "/b1?q=y", "/b2?q=x", "/b2?q=y"]
        #expect(run.lines == targets)
        #expect(server.requests.map(\.target) == targets)
    }

    @Test(arguments: ["-g", "--globoff"]) func areTakenAsTheyAre(option: String) async throws {
        let server = try server()
        let run = try await Tool.run(option, server.url("/{a,b}[1-2]"))
        #expect(run.status == 0, "\(run.errors)")
        #expect(server.requests.count == 1)
        #expect(server.requests.first?.target.removingPercentEncoding == "/{a,b}[1-2]")
    }

    @Test func nameFiles() async throws {
        let server = try server()
        let folder = try Folder()
        let run = try await Tool.run(
            in: folder, [server.url("/{a,b}[1-2]"), "-o", "x_#2_#1_#3_#0#_#", server.url("/plain"), "-o", "y#1"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            try folder.names == ["x_1_a_#3_#0#_#", "x_1_b_#3_#0#_#", "x_2_a_#3_#0#_#", "x_2_b_#3_#0#_#", "y#1"])
        #expect(folder.contents(of: "x_2_a_#3_#0#_#") == "/a2" && folder.contents(of: "x_1_b_#3_#0#_#") == "/b1")
        let literal = try await Tool.run(in: folder, ["-g", server.url("/{q}"), "-o", "z#1"])
        #expect(literal.status == 0)
        #expect(folder.contents(of: "z#1") != nil)
    }

    @Test func nameFilesByTheirURLs() async throws {
        let server = try server()
        let folder = try Folder()
        let run = try await Tool.run(in: folder, [server.url("/d/{a,b}"), "-O"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(folder.contents(of: "a") == "/d/a" && folder.contents(of: "b") == "/d/b")
    }

    @Test func goOnAfterAURLWithoutAName() async throws {
        let server = try server()
        let folder = try Folder()
        let run = try await Tool.run(in: folder, [server.url("/{a,,b}"), "-O"])
        #expect(run.status == 2)
        #expect(run.errors == "streams: '\(server.url("/"))' has no file name; give one with -o\n")
        #expect(try folder.names == ["a", "b"])
    }

    @Test func areOneURLForAnUpload() async throws {
        let run = try await Tool.run("http://127.0.0.1:1/{a,b}", "-T", "/dev/null")
        #expect(run.status == 2)
    }

    // MARK: Downloads

    @Test func areDownloaded() async throws {
        let server = try server()
        let folder = try Folder()
        let run = try await Tool.run(in: folder, ["download", server.url("/{a,b}/[1-2]"), "-o", "#1#2"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(try folder.names == ["a1", "a2", "b1", "b2"])
        #expect(folder.contents(of: "b1") == "/b/1")
    }

    @Test func areDownloadedToTheNamesOfTheURLs() async throws {
        let server = try server()
        let folder = try Folder()
        #expect(try await Tool.run(in: folder, ["download", server.url("/[8-10]")]).status == 0)
        #expect(try folder.names == ["10", "8", "9"])
    }

    @Test(arguments: [["/{a,b}", "-o", "x"], ["/[1-2]/x"], ["/[1-10001]"], ["/{a,b}", "--checksum", "sha256:00"]])
    func refuseDownloadsThatDoNotFit(arguments: [String]) async throws {
        let run = try await Tool(["download", "http://127.0.0.1:1" + arguments[0]] + arguments.dropFirst()).start()
            .end()
        #expect(run.status == 2, "\(run.errors)")
    }

    // MARK: Others

    @Test(arguments: [["sse"], ["lines"], ["poll", "--every", "1"], ["ws"]])
    func areRefusedByFeeds(command: [String]) async throws {
        let scheme = command[0] == "ws" ? "ws" : "http"
        for path in ["{a,b}", "[1-2]", "{a}"] {
            let run = try await Tool(command + ["\(scheme)://127.0.0.1:1/\(path)"]).start().end()
            #expect(run.status == 2)
            #expect(run.errors.contains("has one URL without patterns; -g takes braces and brackets as they are"))
        }
        let once = command + (scheme == "ws" ? [] : ["--no-reconnect"])
        let literal = try await Tool(once + ["-g", "\(scheme)://127.0.0.1:1/{a,b}"]).start().end()
        #expect(literal.status == 7, "\(literal.errors)")
    }
}
