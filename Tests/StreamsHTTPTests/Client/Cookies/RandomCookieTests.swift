import Foundation
import Testing

@testable import StreamsHTTP

/// A jar under random fields, URLs and dates, whose rules hold after each step. `STREAMS_COOKIE_SEED` repeats a run.
@Suite struct RandomCookieTests {
    private static let urls = [
        "http://h1.example/", "https://h1.example/x/y", "https://a.h1.example/x", "http://b.a.h1.example/?q#f",
        "https://h2.example:8443/", "http://localhost/x", "http://127.0.0.1/", "https://[::1]:1/x/", "http://1.2/",
        "https://h1.example./", "https://x..h1.example/", "https://github.io/",
    ]

    @Test func keepsItsRules() throws {
        let seed =
            ProcessInfo.processInfo.environment["STREAMS_COOKIE_SEED"].flatMap(UInt64.init)
            ?? .random(in: 0..<1_000_000)
        var generator = SeededGenerator(seed: seed)
        var fields = CookieFields(seed: seed &+ 1)
        let folder = try ScratchFolder()
        let path = "\(folder.path)/cookies"
        let session = CookieSession(try CookieJar(path: path))
        for step in 1...1000 {
            let url = Self.urls.randomElement(using: &generator) ?? ""
            let secure = session.jar.cookies.filter(\.isSecure)
            session.receive(fields.next() ?? "", from: url)
            let field = session.field(for: url)
            let label: Comment = "step \(step) of seed \(seed)"
            #expect(field.isFieldValue, label)
            let origin = CookieOrigin(LazyURL(url))
            let cookies = session.jar.cookies(for: LazyURL(url), at: session.date)
            #expect(cookies.allSatisfy { $0.isAcceptable(under: .system) && origin?.matches($0) == true }, label)
            if origin?.isSecure == false {
                #expect(Set(secure).isSubset(of: session.jar.cookies), label)
            }
            if step % 250 == 0 {
                try session.jar.synchronize()
                let read = try CookieJar(path: path).cookies
                #expect(read == session.jar.cookies.map(\.inFile), label)
            }
        }
        #expect(session.jar.cookies.count <= 12 * 50)
    }

    @Test func readsAnyFile() {
        let seed = UInt64.random(in: 0..<1_000_000)
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "# Netscape HTTP Cookie File\n", "#HttpOnly_", "#", "\t", "\n", "\r\n", "TRUE", "FALSE", "/", "h.example",
            ".", "0",
            "9999999999999999999", "9223372036854775807", "-1", "1.5", "a", "\0", "\u{e9}", "__Host-a", "example",
        ]
        for round in 1...5000 {
            let text = (0..<Int.random(in: 0...24, using: &generator))
                .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            let contents = CookieFormat.contents(of: Data(text.utf8), under: .system) ?? CookieFormat.Contents()
            let cookies = contents.cookies
            #expect(
                cookies.allSatisfy { $0.isAcceptable(under: .system) && $0.isWritable },
                "round \(round) of seed \(seed)")
            let again = CookieFormat.contents(of: CookieFormat.data(of: contents), under: .system)
            #expect(again?.cookies == cookies, "round \(round) of seed \(seed)")
            #expect(again?.otherLines == contents.otherLines, "round \(round) of seed \(seed)")
        }
    }
}
