import Foundation
import StreamsLoopback
import StreamsTesting
import Testing

@testable import StreamsHTTP

/// The file of a jar: its format, who has access to it, and what several jars and processes do to it.
@Suite(.serialized, .reservesDescriptors) struct CookieFileTests {
    private let folder: ScratchFolder
    private var path: String { "\(folder.path)/cookies" }

    init() throws {
        folder = try ScratchFolder()
    }

    /// A jar that writes nothing in the background.
    private func jar() throws -> CookieJar { try CookieJar(path: path, clock: RequestClock(TestScheduler())) }

    private func write(_ text: String, mode: Int = 0o600) throws {
        try folder.write(text, to: "cookies")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    // MARK: Format

    @Test func writesNetscapesFormat() throws {
        let jar = try CookieJar(path: path)
        let expiry = Date(timeIntervalSinceNow: 86_400)
        jar.set(Cookie("a", "1", domain: "example.com", path: "/x", includesSubdomains: true, isHTTPOnly: true))
        jar.set(Cookie("b", "", domain: "example.com", expires: expiry, isSecure: false))
        jar.set(Cookie("", "c", domain: "::1"))
        try jar.synchronize()
        let seconds = Int(expiry.timeIntervalSince1970.rounded(.up))
        #expect(
            try folder.text(of: "cookies") == """
                # Netscape HTTP Cookie File

                #HttpOnly_.example.com\tTRUE\t/x\tTRUE\t0\ta\t1
                example.com\tFALSE\t/\tFALSE\t\(seconds)\tb\t
                ::1\tFALSE\t/\tTRUE\t0\t\tc

                """)
        #expect(try CookieJar(path: path).cookies == jar.cookies.map(\.inFile))
        #expect(try folder.names == ["cookies", "cookies.lock"])
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test func readsWhatOthersWrite() throws {
        try write(
            """
            # HTTP Cookie File\r
            # a comment\r
            \r
            .example.com\tTRUE\t/\tTRUE\t0\ta\t1\r
            example.com\ttrue\t/\tfalse\t\tb\t2
            example.com\tFALSE\t/\tFALSE\t4102444800\tc
            #HttpOnly_example.com\tFALSE\t/\tFALSE\t0\td\t4
            example.com\tFALSE\t/\tFALSE\t1\texpired\t5
            """)
        let cookies = try CookieJar(path: path).cookies
        #expect(cookies.map(\.pair) == ["a=1", "b=2", "c=", "d=4"])
        #expect(cookies.map(\.includesSubdomains) == [true, true, false, false])
        #expect(cookies.map(\.isSecure) == [true, false, false, false])
        #expect(cookies.map(\.isHTTPOnly) == [false, false, false, true])
        #expect(cookies[2].expires == Date(timeIntervalSince1970: 4_102_444_800))
    }

    /// The lines that curl and wget take, too.
    @Test(arguments: [
        ("x\tFALSE\t/\tFALSE\t0\ta", Cookie("a", "", domain: "x", isSecure: false)),
        (".x\tFALSE\t/\tFALSE\t0\ta\t1", Cookie("a", "1", domain: "x", isSecure: false)),
        (
            "x.example\tTRUE\t/\tFALSE\t0\ta\t1",
            Cookie("a", "1", domain: "x.example", includesSubdomains: true, isSecure: false)
        ),
        ("127.0.0.1\tTRUE\t/\tTRUE\t0\ta\t1", Cookie("a", "1", domain: "127.0.0.1")),
        ("X\t0\t/\t0\t0\ta\t1", Cookie("a", "1", domain: "x", isSecure: false)),
        ("x\t1\t/\t1\t0\ta\t1", Cookie("a", "1", domain: "x")),
        ("x\tMAYBE\t/\tno\t0\ta\t1", Cookie("a", "1", domain: "x", isSecure: false)),
        ("x\tFALSE\tpath\tFALSE\t0\ta\t1", Cookie("a", "1", domain: "x", isSecure: false)),
        ("x\tFALSE\t\tFALSE\t0\ta\t1", Cookie("a", "1", domain: "x", isSecure: false)),
        ("x\tFALSE\ttrue\t0\ta\t1", Cookie("a", "1", domain: "x")),
        ("x\tFALSE\tFALSE\t0\ta", Cookie("a", "", domain: "x", isSecure: false)),
        ("#HttpOnly_.x\tFALSE\t/\t0\t0\ta\t1", Cookie("a", "1", domain: "x", isSecure: false, isHTTPOnly: true)),
    ])
    func readsLinesOfOtherPrograms(line: String, cookie: Cookie) throws {
        try write("# Netscape HTTP Cookie File\n\(line)\n")
        #expect(try CookieJar(path: path).cookies == [cookie])
    }

    /// Firefox 142 has written fractions of seconds.
    @Test(
        arguments: [
            ("4102444800.0", 4_102_444_800), ("2034163357.6", 2_034_163_358), ("2034163357.001", 2_034_163_358),
            ("4.1024448e9", 4_102_444_800), ("99999999999999999999", 253_402_300_799), ("1e999", 253_402_300_799),
        ] as [(String, Double)])
    func readsExpiry(text: String, seconds: Double) throws {
        try write("# Netscape HTTP Cookie File\nx\tFALSE\t/\tFALSE\t\(text)\ta\t1\n")
        let jar = try jar()
        #expect(jar.cookies.map(\.expires) == [Date(timeIntervalSince1970: seconds)])
        jar.set(Cookie("b", "2", domain: "x"))
        try jar.synchronize()
        #expect(try folder.text(of: "cookies").contains("\t\(Int64(seconds))\ta\t1\n"))
    }

    /// Lines from which the jar takes no cookie, and comments, which other programs may have a use for.
    @Test(arguments: [
        "x\tFALSE\t/\tFALSE\t0\ta\t1\t2\t3", "x\tFALSE\t/\tFALSE", "x\tFALSE\t/\tFALSE\t-1\ta\t1",
        "x\tFALSE\t/\tFALSE\t0x10\ta\t1", "x\tFALSE\t/\tFALSE\tinfinity\ta\t1", "x\tFALSE\t/\tFALSE\t1.2.3\ta\t1",
        "x y\tFALSE\t/\tFALSE\t0\ta\t1", "..x\tTRUE\t/\tFALSE\t0\ta\t1", ".com\tTRUE\t/\tTRUE\t0\ta\t1",
        "x\tFALSE\t/\tFALSE\t0\t__Secure-a\t1", "x\tFALSE\t/\tFALSE\t0\ta\t1;b=2", "x\tFALSE\t/\tFALSE\t0\ta\t\0",
        "x\tFALSE\t/\tFALSE\t0\ta\t\(String(repeating: "v", count: 5000))", "#x\tFALSE\t/\tFALSE\t0\ta\t1",
        "# a comment\r", "# Netscape HTTP Cookie File", "words",
    ])
    func keepsOtherLines(line: String) throws {
        let cookie = "x\tFALSE\t/\tFALSE\t0\tok\t1\n"
        try write("# Netscape HTTP Cookie File\n\n\(line)\n\(cookie)")
        let jar = try jar()
        for value in 1...2 {
            #expect(jar.pairs.first == "ok=1")
            jar.set(Cookie("new", "\(value)", domain: "x"))
            try jar.synchronize()
            #expect(
                try folder.text(of: "cookies") == """
                    # Netscape HTTP Cookie File
                    \(line)

                    \(cookie)x\tFALSE\t/\tTRUE\t0\tnew\t\(value)

                    """)
        }
    }

    /// Of a file without a title, only the words of the format show that it has cookies.
    @Test func recognizesCookiesWithoutATitle() throws {
        try write("# exported\nx\tFALSE\t/\tFALSE\t0\ta\t1\n")
        let jar = try jar()
        jar.removeAll()
        try jar.synchronize()
        #expect(try folder.text(of: "cookies") == "# Netscape HTTP Cookie File\n# exported\n\n")
        let table = "a\tb\tc\td\t1\te\tf\n"
        try write(table)
        #expect(throws: FileError.self) { try CookieJar(path: path) }
        #expect(throws: FileError.self) { try jar.synchronize() }
        #expect(try folder.text(of: "cookies") == table)
    }

    /// The lines that other jars have added meanwhile stay, too.
    @Test func keepsLinesThatOthersAddMeanwhile() throws {
        let jar = try jar()
        jar.set(Cookie("a", "1", domain: "x"))
        try jar.synchronize()
        try write("# Netscape HTTP Cookie File\nlater\n")
        jar.set(Cookie("b", "2", domain: "x"))
        try jar.synchronize()
        #expect(
            try folder.text(of: "cookies") == "# Netscape HTTP Cookie File\nlater\n\nx\tFALSE\t/\tTRUE\t0\tb\t2\n")
    }

    /// A date that no program reaches is no session: other programs write it for cookies that never expire.
    @Test func keepsDatesOfTheFarFuture() throws {
        try write("# Netscape HTTP Cookie File\nh\tFALSE\t/\tTRUE\t\(Int64.max)\ta\t1\n")
        let jar = try jar()
        jar.set(Cookie("b", "2", domain: "h"))
        for _ in 1...2 {
            try jar.synchronize()
            #expect(try folder.text(of: "cookies").contains("\t253402300799\ta\t1\n"))
        }
    }

    /// Whatever a server sets, each cookie is a line of its own.
    @Test func nothingIsInjectedIntoTheFile() throws {
        let jar = try CookieJar(path: path)
        let session = CookieSession(jar)
        let line = "victim.com\tFALSE\t/\tFALSE\t0\ta\t1"
        for text in [
            "x\n\(line)", "x\r\(line)", "x\t\(line)", line, "#HttpOnly_\(line)", "x\u{2028}\(line)", "x\u{85}y",
        ] {
            session.receive("a=\(text)", "\(text)=a", "a=b; Path=/\(text)", text, from: "https://evil.com/\t")
            jar.set(Cookie(text, "1", domain: "evil.com"))
            jar.set(Cookie("a", text, domain: "evil.com", path: "/\(text)"))
            jar.set(Cookie("a", "1", domain: text))
        }
        try jar.synchronize()
        let read = try CookieJar(path: path)
        #expect(read.cookies == jar.cookies.map(\.inFile))
        #expect(read.cookies.allSatisfy { $0.domain == "evil.com" } && !read.cookies.isEmpty)
    }

    // MARK: Access

    @Test(arguments: [0o604, 0o640, 0o660, 0o644]) func refusesOpenFiles(mode: Int) throws {
        try write("# Netscape HTTP Cookie File\n", mode: mode)
        #expect(throws: FileCredentialStore.Refusal.self) { try CookieJar(path: path) }
    }

    @Test func refusesWhatBecomesOpen() throws {
        let jar = try CookieJar(path: path)
        jar.set(Cookie("a", "1", domain: "h"))
        try jar.synchronize()
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        jar.set(Cookie("b", "2", domain: "h"))
        #expect(throws: FileCredentialStore.Refusal.self) { try jar.synchronize() }
        #expect(jar.pairs == ["a=1", "b=2"])
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        try jar.synchronize()
        #expect(try CookieJar(path: path).pairs == ["a=1", "b=2"])
    }

    /// A file of another kind is not replaced, nor a folder, nor what a NUL hides.
    @Test func refusesOtherFiles() throws {
        try write("{\"name\": \"Ada\"}\n")
        #expect(throws: FileError.self) { try CookieJar(path: path) }
        #expect(throws: FileCredentialStore.Refusal.self) { try CookieJar(path: folder.path) }
        #expect(throws: FileError.self) { try CookieJar(path: "\(path)\0") }
        #expect(try folder.text(of: "cookies") == "{\"name\": \"Ada\"}\n")
        let jar = try CookieJar(path: "\(folder.path)/none/cookies")
        jar.set(Cookie("a", "1", domain: "h"))
        #expect(throws: FileError.self) { try jar.synchronize() }
    }

    /// Changes are collected for a moment, and written together.
    @Test func writesInTheBackground() async throws {
        let scheduler = TestScheduler()
        let jar = try CookieJar(path: path, clock: RequestClock(scheduler))
        for value in 1...3 {
            jar.set(Cookie("a", "\(value)", domain: "h"))
            await scheduler.settle(advancingBy: .milliseconds(99))
            #expect(try CookieJar(path: path).pairs == (value == 1 ? [] : ["a=\(value - 1)"]))
            await scheduler.settle(advancingBy: .milliseconds(1))
            #expect(try CookieJar(path: path).pairs == ["a=\(value)"])
        }
    }

    // MARK: Sharing

    @Test func twoJarsLoseNothing() throws {
        let (first, second) = (try jar(), try jar())
        first.set(Cookie("a", "1", domain: "h"))
        first.set(Cookie("b", "1", domain: "h", sameSite: .lax))
        try first.synchronize()
        second.set(Cookie("c", "1", domain: "h"))
        try second.synchronize()
        #expect(second.pairs == ["c=1", "a=1", "b=1"])
        // Removed by one, changed by the other, and new: all at once.
        second.removeAll { $0.name == "a" }
        second.set(Cookie("d", "2", domain: "h"))
        first.set(Cookie("b", "3", domain: "h", sameSite: .lax))
        first.set(Cookie("e", "4", domain: "h"))
        try first.synchronize()
        try second.synchronize()
        try first.synchronize()
        #expect(Set(first.pairs) == ["b=3", "c=1", "d=2", "e=4"] && Set(first.pairs) == Set(second.pairs))
        // The file has no field for it, and the jar keeps it.
        #expect(first.cookies.first { $0.name == "b" }?.sameSite == .lax)
    }

    /// Of a removal and a new value, the value stays; of two values, that which was written last.
    @Test func decidesConflicts() throws {
        let (first, second) = (try jar(), try jar())
        for name in ["a", "b", "c"] { first.set(Cookie(name, "1", domain: "h")) }
        try first.synchronize()
        try second.synchronize()
        first.removeAll { $0.name == "a" }
        second.set(Cookie("a", "2", domain: "h"))
        first.set(Cookie("b", "2", domain: "h"))
        second.removeAll { $0.name == "b" }
        first.set(Cookie("c", "2", domain: "h"))
        second.set(Cookie("c", "3", domain: "h"))
        try first.synchronize()
        try second.synchronize()
        try first.synchronize()
        #expect(Set(first.pairs) == ["a=2", "b=2", "c=3"] && Set(first.pairs) == Set(second.pairs))
    }

    @Test func manyThreadsAndJarsLoseNothing() async throws {
        try await withThrowingTaskGroup { group in
            for number in 0..<6 {
                group.addTask { [path] in
                    let jar = try CookieJar(path: path)
                    for round in 0..<8 {
                        jar.set(Cookie("n\(round)", "1", domain: "h\(number).example"))
                        jar.set(Cookie("gone", "1", domain: "h\(number).example"))
                        try jar.synchronize()
                        jar.removeAll { $0.name == "gone" && $0.domain == "h\(number).example" }
                    }
                    try jar.synchronize()
                }
            }
            try await group.waitForAll()
        }
        let cookies = try CookieJar(path: path).cookies
        #expect(cookies.count == 48 && cookies.allSatisfy { $0.name != "gone" })
    }

    @Test func requestsSeeWhatOthersHaveSet() async throws {
        let scheduler = TestScheduler()
        let (first, second) = (try CookieJar(path: path), try CookieJar(path: path, clock: RequestClock(scheduler)))
        first.set(Cookie("a", "1", domain: "h"))
        try first.synchronize()
        let url = URL(literal: "https://h/")
        for isDue in [false, true] {
            #expect(second.cookies(for: url).isEmpty)
            await scheduler.settle(advancingBy: .seconds(1))
            #expect(second.cookies.isEmpty != isDue)
        }
        #expect(second.cookies(for: url).map(\.name) == ["a"])
    }

    /// A crash between writing and renaming leaves a file that the next change removes.
    @Test func aCrashLeavesTheOldFile() throws {
        try write("# Netscape HTTP Cookie File\nh\tFALSE\t/\tTRUE\t0\ta\t1\n")
        try folder.write("half", to: "cookies.new")
        let jar = try CookieJar(path: path)
        jar.set(Cookie("b", "2", domain: "h"))
        try jar.synchronize()
        #expect(try CookieJar(path: path).pairs == ["a=1", "b=2"])
        #expect(try folder.names == ["cookies", "cookies.lock"])
    }

    #if os(Linux)
    /// Processes of the tool, each of which sets a cookie of its own, changes one of all and removes another.
    @Test func processesLoseNothing() async throws {
        let server = try LoopbackServer()
        server.otherwise { request in
            let number = request.target.dropFirst()
            return Reply(
                headers: [
                    "Set-Cookie": "n\(number)=1", "Set-Cookie": "all=\(number)",
                    "Set-Cookie": "old\(number)=; Max-Age=0",
                ], body: .text("ok"))
        }
        let count = 24
        let jar = try CookieJar(path: path)
        for number in 0..<count { jar.set(Cookie("old\(number)", "1", domain: "127.0.0.1", isSecure: false)) }
        try jar.synchronize()
        try await withThrowingTaskGroup { group in
            for number in 0..<count {
                group.addTask { [path] in
                    let run = try await Tool.run("-b", path, "-c", path, server.url("/\(number)"))
                    #expect(run.status == 0 && run.text == "ok", "\(run)")
                }
                if number % 4 == 3 { try await group.next() }
            }
            // This process is one of them.
            for round in 0..<20 {
                jar.set(Cookie("own\(round)", "1", domain: "own.example"))
                try jar.synchronize()
            }
            try await group.waitForAll()
        }
        try jar.synchronize()
        let names = Set(jar.cookies.map(\.name))
        #expect(names == Set((0..<count).map { "n\($0)" } + (0..<20).map { "own\($0)" } + ["all"]))
        #expect(try CookieJar(path: path).cookies.count == names.count)
        #expect(try folder.names == ["cookies", "cookies.lock"])
    }
    #endif

    /// Each jar has an order of its own, which is no reason to write.
    @Test func jarsDoNotWriteInTurn() throws {
        let (first, second) = (try jar(), try jar())
        first.set(Cookie("a", "1", domain: "h"))
        first.set(Cookie("b", "1", domain: "h"))
        try first.synchronize()
        second.set(Cookie("c", "1", domain: "h"))
        try second.synchronize()
        let text = try folder.text(of: "cookies")
        for jar in [first, second] {
            try jar.synchronize()
            #expect(try folder.text(of: "cookies") == text)
        }
        #expect(first.pairs == ["a=1", "b=1", "c=1"] && second.pairs == ["c=1", "a=1", "b=1"])
    }

    /// Others remove cookies with the file, but not those that the jar has not written yet.
    @Test func aDeletedFileHasNoCookies() throws {
        let jar = try jar()
        jar.set(Cookie("a", "1", domain: "h"))
        try jar.synchronize()
        jar.set(Cookie("b", "2", domain: "h"))
        try FileManager.default.removeItem(atPath: path)
        try jar.synchronize()
        #expect(jar.pairs == ["b=2"])
        #expect(try CookieJar(path: path).pairs == ["b=2"])
    }

    /// A change that could not be written is written when the reason is gone, without another change.
    @Test func requestsRepeatFailedWrites() async throws {
        let scheduler = TestScheduler()
        let jar = try CookieJar(path: "\(folder.path)/none/cookies", clock: RequestClock(scheduler))
        jar.set(Cookie("a", "1", domain: "h"))
        await scheduler.settle(advancingBy: .seconds(2))
        try folder.write("", to: "none/other")
        #expect(jar.cookies(for: URL(literal: "https://h/")).count == 1)
        await scheduler.settle()
        #expect(try CookieJar(path: "\(folder.path)/none/cookies").pairs == ["a=1"])
    }

    /// The last of several lines for one cookie counts, also when the jar has read the file before.
    @Test func theLastLineOfACookieCounts() throws {
        try write("# Netscape HTTP Cookie File\nh\tFALSE\t/\tTRUE\t0\ta\t1\nh\tFALSE\t/\tTRUE\t0\ta\t2\n")
        let jar = try jar()
        for name in ["b", "c"] {
            #expect(jar.pairs.first == "a=2")
            jar.set(Cookie(name, "3", domain: "h"))
            try jar.synchronize()
        }
        #expect(try CookieJar(path: path).pairs == ["a=2", "b=3", "c=3"])
    }

    // MARK: Bytes

    @Test func keepsBytesThatAreNotUTF8() throws {
        let line = "example.com\tFALSE\t/p\u{e9}\tTRUE\t0\tn\u{e9}\tv\u{e9}"
        // In ISO-8859-1, in UTF-8, and in UTF-8 with combining characters: three cookies.
        let lines: [[UInt8]] = [
            line.unicodeScalars.map { UInt8($0.value) }, Array(line.utf8),
            Array(line.replacing("\u{e9}", with: "e\u{301}").utf8),
        ]
        try write("")
        try Data(lines.joined(separator: [0x0A])).write(to: URL(filePath: path))
        let jar = try jar()
        #expect(jar.cookies.map(\.valueBytes) == [[0x76, 0xE9], [0x76, 0xC3, 0xA9], [0x76, 0x65, 0xCC, 0x81]])
        jar.set(Cookie("a", "1", domain: "example.com"))
        try jar.synchronize()
        let written = try Data(contentsOf: URL(filePath: path)).split(separator: 0x0A)
        #expect(written.dropFirst().dropLast().map { Array($0) } == lines)
        #expect(try self.jar().cookies == jar.cookies.map(\.inFile))
    }

    @Test func readsBytesOfHeads() throws {
        let jar = CookieJar()
        let head = "HTTP/1.1 200 OK\r\nset-cookie: n=v".utf8 + [0xE9] + "\r\n\r\n".utf8
        #expect(jar.read(Data(head), from: URL(string: "http://example.com/")))
        #expect(jar.cookies.map(\.valueBytes) == [[0x76, 0xE9]])
    }

    // MARK: curl

    @Test(.needs(.curl)) func readsAndIsReadByCurl() throws {
        let server = try LoopbackServer()
        server.on("GET", "/") { request in
            Reply(
                headers: [
                    "Set-Cookie": "a=1", "Set-Cookie": "b=\"2 3\"; Path=/x; HttpOnly",
                    "Set-Cookie": "c=4; Max-Age=1000",
                ], body: .text(request.headers["Cookie"] ?? "none"))
        }
        server.on("GET", "/x") { .text($0.headers["Cookie"] ?? "none") }
        let curl = try Program.curl.installed()
        let scratch = try ServerFolder("curl")
        try Program.curl.run(["-s", "--noproxy", "*", "-c", path, "-o", "/dev/null", server.url("/")], in: scratch)
        chmod(path, 0o600)
        let jar = try CookieJar(path: path)
        #expect(Set(jar.pairs) == ["a=1", "b=\"2 3\"", "c=4"])
        #expect(jar.cookies.first { $0.name == "b" }?.isHTTPOnly == true)
        jar.set(Cookie("d", "5", domain: "127.0.0.1", isSecure: false))
        jar.removeAll { $0.name == "c" }
        try jar.synchronize()
        let arguments = ["-s", "--noproxy", "*", "-b", path, server.url("/x")]
        let text = String(decoding: try Program.curl.output(of: arguments, input: Data()), as: UTF8.self)
        #expect(text == "b=\"2 3\"; d=5; a=1" || text == "b=\"2 3\"; a=1; d=5", "\(text) by \(curl)")
    }
}
