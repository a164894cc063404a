import Foundation
import StreamsLoopback
import Testing

/// `-w`.
@Suite(.serialized) struct WriteOutTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.on("GET", "/", .text("body"))
    }

    @Test func followsTheBody() async throws {
        let run = try await Tool.run(server.url("/"), "-w", #"|%{http_code}|%{response_code}\n\t%%%{size_download}\q"#)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.text == "body|200|200\n\t%4\\q")
        #expect(run.errors.isEmpty)
    }

    @Test func goesToStandardOutputBesideAFile() async throws {
        let folder = try Folder()
        let run = try await Tool.run(
            server.url("/"), "-so", folder.path("file"), "-w", "%{filename_effective} %{http_code}")
        #expect(run.text == "\(folder.path("file")) 200")
        #expect(folder.contents(of: "file") == "body")
    }

    @Test func describesTheResponse() async throws {
        server.on("GET", "/old", .redirect(to: "/"))
        let format =
            "%{method} %{num_redirects} %{num_connects} %{num_headers} %{num_retries} %{scheme} %{http_version}"
        let run = try await Tool.run(server.url("/old"), "-f", "-w", "\n\(format)")
        #expect(run.lines.last == "GET 1 1 2 0 http 1.1")
        let rest = try await Tool.run(
            server.url("/old"), "-w", "\n%{url} %{url_effective} %{content_type}|%header{CONTENT-LENGTH}|%header{none}|"
        )
        #expect(rest.lines.last == "\(server.url("/old")) \(server.url("/")) text/plain; charset=utf-8|4||")
        let peer = try await Tool.run(server.url("/"), "-w", "\n%{remote_ip} %{remote_port} %{exitcode}%{errormsg}")
        #expect(peer.lines.last == "127.0.0.1 \(server.port) 0")
    }

    /// The fields as they were received, although the body is decoded.
    @Test func describesTheEncodedBody() async throws {
        let text = "H4sIAAAAAAAC/0vKT6kEALILqNsEAAAA"
        let bytes = Array(try #require(Data(base64Encoded: text)))
        server.on("GET", "/gzip", Reply(headers: ["Content-Encoding": "gzip"], body: .bytes(bytes)))
        let run = try await Tool.run(server.url("/gzip"), "-w", "|%header{content-encoding} %header{content-length}")
        #expect(run.text == "body|gzip \(bytes.count)")
        let head = try await Tool.run(server.url("/gzip"), "-i")
        #expect(head.text.contains("Content-Encoding: gzip\r\n") && head.text.hasSuffix("body"))
    }

    @Test func countsBytesOnTheWire() async throws {
        server.on("POST", "/sum", .generated(200_000, framing: .chunked))
        let folder = try Folder()
        let letters = GeneratedBytes.bytes(0..<100_000).map { UInt8(ascii: "a") + $0 % 26 }
        let text = String(decoding: letters, as: UTF8.self)
        try folder.write(text, to: "file")
        let run = try await Tool.run(
            server.url("/sum"), "-d", "@\(folder.path("file"))", "-o", folder.path("out"), "-w",
            "%{size_upload} %{size_download} %{speed_upload} %{speed_download}")
        let numbers = run.text.split(separator: " ").compactMap { Int($0) }
        try #require(numbers.count == 4, "\(run.text) \(run.errors)")
        #expect(numbers[..<2] == [100_000, 200_000])
        #expect(numbers[2] > 0 && numbers[3] > numbers[2])
        let sent = try #require(server.requests.first)
        let isSent = sent.bodyCount == 100_000 && text.utf8.starts(with: sent.body)
        #expect(isSent)
        #expect(folder.data(of: "out")?.isGenerated(200_000) == true)
    }

    /// Sizes are those of all exchanges, the redirect's included.
    @Test func countsBytesOfHeads() async throws {
        let plain = try await Tool.run(server.url("/"), "-o", "/dev/null", "-w", "%{size_header} %{size_request}")
        let single = plain.text.split(separator: " ").compactMap { Int($0) }
        let request = try #require(server.requests.first)
        // The request line, and the fields with their colons, spaces and line ends.
        let size =
            "GET / HTTP/1.1\r\n\r\n".utf8.count
            + request.headers.map { $0.name.utf8.count + $0.value.utf8.count + 4 }.reduce(0, +)
        try #require(single.count == 2, "\(plain.text) \(plain.errors)")
        #expect(single[1] == size)
        #expect(single[0] > "HTTP/1.1 200 OK\r\n\r\n".utf8.count)
        server.on("GET", "/old", .redirect(to: "/"))
        let run = try await Tool.run(server.url("/old"), "-o", "/dev/null", "-w", "%{size_header} %{size_request}")
        let both = run.text.split(separator: " ").compactMap { Int($0) }
        try #require(both.count == 2, "\(run.text) \(run.errors)")
        #expect(both[1] == 2 * size + "old".utf8.count)
        #expect(both[0] > 2 * single[0] - 60 && both[0] > single[0])
    }

    @Test func namesRedirectThatWasNotFollowed() async throws {
        server.on("GET", "/old", .redirect(to: "/other?a[b]=c%20d"))
        let format = "%{http_code} %{exitcode} %{num_redirects} %{redirect_url} %{url_effective}"
        let run = try await Tool.run("-s", server.url("/old"), "--max-redirects", "0", "-w", format)
        #expect(run.status == 47)
        #expect(run.text == "302 47 0 \(server.url("/other?a%5Bb%5D=c%20d")) \(server.url("/old"))")
        server.on("GET", "/other", .text("other"))
        let followed = try await Tool.run("-s", server.url("/old"), "-w", "|%{redirect_url}|")
        #expect(followed.text.hasSuffix("||"))
    }

    @Test func writesVariablesAsJSON() async throws {
        let run = try await Tool.run(server.url("/"), "-o", "/dev/null", "-w", "%{json}")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(run.text.utf8)) as? [String: Any])
        #expect(object["http_code"] as? Int == 200 && object["exitcode"] as? Int == 0)
        #expect(object["size_download"] as? Int == 4 && object["remote_port"] as? Int == server.port)
        #expect(object["url_effective"] as? String == server.url("/") && object["http_version"] as? String == "1.1")
        #expect(object["errormsg"] is NSNull && object["redirect_url"] is NSNull)
        #expect(object["time_total"] as? Double ?? 0 > 0)
        #expect((object["curl_version"] as? String)?.hasPrefix("libcurl/") == true)
        #expect(object.keys.contains("time_pretransfer") && !object.keys.contains("json"))
        let failed = try await Tool.run("-s", "http://127.0.0.1:1/", "-w", "%{json}")
        let failure = try #require(try JSONSerialization.jsonObject(with: Data(failed.text.utf8)) as? [String: Any])
        #expect(failure["http_code"] as? Int == 0 && failure["exitcode"] as? Int == 7)
        #expect(failure["content_type"] is NSNull && failure["errormsg"] is String)
    }

    @Test func writesHeaderFieldsAsJSON() async throws {
        server.on("GET", "/fields", Reply(headers: ["X-One": "\"1\"", "x-two": "2", "x-ONE": "3"], body: .text("")))
        let run = try await Tool.run(server.url("/fields"), "-w", "%{header_json}")
        #expect(run.text.hasPrefix("{\"") && run.text.hasSuffix("]\n}"))
        let fields = try JSONDecoder().decode([String: [String]].self, from: Data(run.text.utf8))
        #expect(fields["x-one"] == ["\"1\"", "3"] && fields["x-two"] == ["2"])
    }

    @Test func measuresTime() async throws {
        server.on("GET", "/old", .redirect(to: "/slow").delayed(by: .milliseconds(200)))
        server.on("GET", "/slow", .text("late").delayed(by: .milliseconds(300)))
        let names = ["namelookup", "connect", "appconnect", "pretransfer", "redirect", "starttransfer", "total"]
        let format = names.map { "%{time_\($0)}" }.joined(separator: " ")
        let run = try await Tool.run(server.url("/old"), "-o", "/dev/null", "-w", format)
        let texts = run.text.split(separator: " ")
        #expect(texts.allSatisfy { $0.split(separator: ".").last?.count == 6 }, "\(run.text)")
        let times = Dictionary(uniqueKeysWithValues: zip(names, texts.compactMap { Double($0) }))
        let redirect = try #require(times["redirect"])
        let firstByte = try #require(times["starttransfer"])
        let total = try #require(times["total"])
        let pretransfer = try #require(times["pretransfer"])
        #expect(redirect >= 0.2)
        #expect(pretransfer > redirect && pretransfer < firstByte)
        #expect(firstByte >= redirect + 0.3 && total >= firstByte)
        #expect(times["appconnect"] == 0)
    }

    @Test func followsAFailure() async throws {
        let run = try await Tool.run(
            "-s", "http://127.0.0.1:1/", "-w", "%{http_code} %{exitcode} %{num_redirects} %{url_effective}\n%{errormsg}"
        )
        #expect(run.status == 7)
        #expect(run.lines.first == "000 7 0 http://127.0.0.1:1/")
        #expect(run.lines.last?.contains("could not connect") == true)
        let timeout = try LoopbackServer()
        timeout.on("GET", "/", .text("x").failing(with: .stall(at: .beforeHead)))
        let late = try await Tool.run("-s", timeout.url(), "--timeout", "0.3", "-w", "%{exitcode} %{time_total}")
        #expect(late.status == 28)
        let words = late.text.split(separator: " ")
        #expect(words.first == "28")
        #expect(try #require(words.last.flatMap { Double($0) }) >= 0.3)
    }

    @Test func writesPartsOnErrorsOnly() async throws {
        let format = "%{http_code}%{stderr}e%{stdout}%{onerror} failed"
        let run = try await Tool.run("-s", server.url("/"), "-w", format)
        #expect(run.text == "body200")
        #expect(run.errors == "e")
        let missing = try await Tool.run("-sf", server.url("/missing"), "-w", format)
        #expect(missing.text == "404 failed")
    }

    @Test func keepsAnUnknownVariableAndWarns() async throws {
        let run = try await Tool.run(server.url("/"), "-w", "|%{nope}|%{http_code|%x")
        #expect(run.status == 0)
        #expect(run.text == "body|%{nope}|%{http_code|%x")
        #expect(run.errors == "streams: unknown --write-out variable: 'nope'\n")
    }

    @Test func readsTheFormatFromAFile() async throws {
        let folder = try Folder()
        try folder.write(#"\n%{http_code}"#, to: "format")
        let run = try await Tool.run(server.url("/"), "-w", "@\(folder.path("format"))")
        #expect(run.text == "body\n200")
    }

    @Test func failsIfItCannotBeWritten() async throws {
        try #require(FileManager.default.fileExists(atPath: "/dev/full"), "this system has no /dev/full")
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let run = try await Tool.run(server.url("/"), "-o", "/dev/null", "-w", "%{http_code}", output: full)
        #expect(run.status == 23)
        #expect(run.errors.contains("standard output: No space left on device"))
    }
}
