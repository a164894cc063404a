import Foundation
import StreamsTesting
import Testing

@testable import StreamsHTTP

/// A jar on a system without the list of public suffixes: no cookie reaches another host than the one that has set it.
@Suite struct UnknownSuffixTests {
    private let session = CookieSession(CookieJar(suffixes: .unknown))
    private var jar: CookieJar { session.jar }

    @Test func keepsCookiesOfTheHost() {
        session.receive("a=1", "b=2; Domain=example.com", "c=3; Domain=.EXAMPLE.com", from: "https://example.com/")
        #expect(session.field(for: "https://example.com/") == "a=1; b=2; c=3")
        #expect(session.field(for: "https://www.example.com/") == "")
        #expect(jar.cookies.allSatisfy { !$0.includesSubdomains })
    }

    @Test func refusesCookiesOfTheDomainsAbove() {
        session.receive("a=1; Domain=example.com", "b=2; Domain=com", from: "https://www.example.com/")
        #expect(jar.cookies.isEmpty)
        // The list of the system tells which of these domains is one's own.
        let informed = CookieSession()
        informed.receive("a=1; Domain=example.com", "b=2; Domain=com", from: "https://www.example.com/")
        #expect(informed.jar.cookies.map(\.name) == (PublicSuffixes.system.contains("example.com") ? [] : ["a"]))
    }

    @Test func programsSetCookiesOfTheHostAlone() {
        #expect(jar.set(Cookie("a", "1", domain: "example.com")))
        #expect(!jar.set(Cookie("b", "2", domain: "example.com", includesSubdomains: true)))
        #expect(jar.pairs == ["a=1"])
    }

    /// A file that a jar with the list has written.
    @Test func readsCookiesOfTheHostAlone() throws {
        let text = """
            # Netscape HTTP Cookie File
            example.com\tFALSE\t/\tTRUE\t0\ta\t1
            .example.com\tTRUE\t/\tTRUE\t0\tb\t2

            """
        #expect(jar.read(Data(text.utf8), from: nil))
        let folder = try ScratchFolder()
        let path = "\(folder.path)/cookies"
        try folder.write(text, to: "cookies")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        let read = try CookieJar(path: path, clock: RequestClock(TestScheduler()), suffixes: .unknown)
        #expect(jar.pairs == ["a=1"] && read.pairs == ["a=1"])
        // Another process may know the suffixes.
        read.removeAll()
        try read.synchronize()
        #expect(try folder.text(of: "cookies").contains("\n.example.com\tTRUE\t/\tTRUE\t0\tb\t2\n"))
    }

    @Test func eachDomainIsASuffix() {
        #expect(["com", "example.com", "localhost", ""].allSatisfy(PublicSuffixes.unknown.contains))
    }

    /// Hosts that may belong to one site count as one.
    @Test func keeps180CookiesOfASite() {
        session.receive("own=1", from: "https://example.com/")
        for host in 1...65 { session.receive((1...50).map { "n\($0)=1" }, from: "https://h\(host).b.evil.com/") }
        #expect(jar.cookies.count == 181 && jar.cookies.first?.name == "own")
    }

    @Test(arguments: [
        ("a.b.example.com", "example.com"), ("example.com", "example.com"), ("a.example.co.uk", "co.uk"),
        ("localhost", "localhost"), ("127.0.0.1", "127.0.0.1"), ("::1", "::1"),
    ])
    func sitesAreTheLastTwoLabels(domain: String, site: String) {
        #expect(PublicSuffixes.unknown.site(of: domain) == site)
    }
}
