import Foundation
import StreamsTesting

@testable import StreamsHTTP

/// A jar keeps its limits under any file and any fields `Set-Cookie`. A host changes only cookies that it may receive,
/// and receives no others. The file that the jar writes has its cookies, and those that another jar has added.
func fuzzCookies(_ input: inout Input) throws {
    let path = "\(scratch)/cookies"
    let bytes = input.field()
    write(bytes, to: path)
    // In virtual time, no cookie expires between two steps.
    let scheduler = TestScheduler()
    let clock = RequestClock(scheduler)
    let jar = try openJar(at: path, with: bytes, clock)
    while !input.isEmpty {
        let url = urls[Int(input.byte()) % urls.count]
        receive(input.field(), from: url, jar, clock.date)
    }
    expectLimits(of: jar)
    for url in urls { expectOwnCookies(of: url, jar, clock.date) }

    let other = try CookieJar(path: path, clock: clock)
    let addition = Cookie("addition", "1", domain: "elsewhere.example")
    expect(other.set(addition), "a valid cookie was refused")
    try other.synchronize()
    // The jars write their changes a moment later.
    scheduler.advance(by: .seconds(1))
    try jar.synchronize()
    expect(jar.cookies.contains(addition), "the cookie of another jar is lost")
    expectLimits(of: jar)
    expectEqual(try CookieJar(path: path, clock: clock).cookies, jar.cookies.map(\.inFile), "the file after writing")
}

/// Returns the jar of a file. Expects a file of another kind to be refused and to stay as it is, and returns the jar of
/// an empty one in its place.
private func openJar(at path: String, with bytes: [UInt8], _ clock: RequestClock) throws -> CookieJar {
    do {
        return try CookieJar(path: path, clock: clock)
    } catch let error as FileError where error.code == EINVAL {
        // Not by FileManager: its buffer for a small file stays allocated.
        let contents = try FileHandle(forReadingAtPath: path)?.readToEnd()
        expectEqual(contents ?? Data(), Data(bytes), "another file was changed")
        write([], to: path)
        return try CookieJar(path: path, clock: clock)
    }
}

private let urls = [
    "https://h.example/", "http://h.example/x/y", "https://a.h.example/x", "http://b.a.h.example/",
    "https://i.example/x/", "https://nh.example/", "https://h.example./", "https://example/", "https://h.co.uk/",
    "https://i.co.uk/", "http://localhost/x", "http://127.0.0.1/", "https://1.127.0.0.1/", "https://[::1]/",
    "https://0x7f.1/",
].map { LazyURL($0) }

/// Passes a field to a jar, and expects the host to change only cookies of its own, and secure ones only over TLS.
private func receive(_ field: [UInt8], from url: LazyURL, _ jar: CookieJar, _ date: Date) {
    let host = url.hostName.lowercased()
    let before = jar.cookies
    jar.takeCookies(from: HTTPHeaders([HTTPHeaders.Field(name: "Set-Cookie", bytes: field)]), of: url, at: date)
    let after = jar.cookies
    for cookie in after.difference(from: before).map(\.cookie) {
        expect(isOwn(cookie, of: host) || isFull(cookie.domain, before), "\(host) has changed \(cookie)")
        expect(url.isSecure || isLoopback(host) || !cookie.isSecure, "\(host) has changed \(cookie) without TLS")
    }
    expect(after.count <= before.count + 1, "a field has set several cookies")
    expectOwnCookies(of: url, jar, date)
}

extension CollectionDifference<Cookie>.Change {
    fileprivate var cookie: Cookie {
        switch self {
        case .insert(_, let cookie, _), .remove(_, let cookie, _): cookie
        }
    }
}

/// Expects the cookies of a request to be those that its host, path and scheme may have.
private func expectOwnCookies(of url: LazyURL, _ jar: CookieJar, _ date: Date) {
    let host = url.hostName.lowercased()
    let cookies = jar.cookies(for: url, at: date)
    for cookie in cookies {
        expect(isOwn(cookie, of: host), "\(host) receives \(cookie)")
        expect(url.isSecure || isLoopback(host) || !cookie.isSecure, "\(host) receives \(cookie) without TLS")
        let path = cookie.path.hasSuffix("/") ? cookie.path : cookie.path + "/"
        expect("\(url.pathAndQuery)/".utf8.starts(with: path.utf8), "\(url.pathAndQuery) receives \(cookie)")
        expect(!cookie.isExpired(at: date), "\(cookie) has expired")
    }
    let field = cookies.map(\.pair).joined(separator: "; ").bytes
    expect(!field.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }, "a control character is sent")
    expectEqual(field.count { $0 == UInt8(ascii: ";") }, max(cookies.count - 1, 0), "the separators of \(cookies)")
}

private func isOwn(_ cookie: Cookie, of host: String) -> Bool {
    guard host != cookie.domain else { return true }
    return cookie.includesSubdomains && host.hasSuffix(".\(cookie.domain)") && !suffixes.contains(cookie.domain)
        && host.contains { $0.isLetter } && host != "0x7f.1"
}

/// The public suffixes above the hosts.
private let suffixes: Set = ["example", "co.uk", "uk"]

private func isLoopback(_ host: String) -> Bool { ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host) }

/// Whether a domain has as many cookies as it may, so that one of them may go.
private func isFull(_ domain: String, _ cookies: [Cookie]) -> Bool {
    cookies.count { $0.domain == domain } == maxPerDomain
}

/// The maximum number of cookies of a domain.
private let maxPerDomain = 50

private func expectLimits(of jar: CookieJar) {
    let cookies = jar.cookies
    let counts = Dictionary(grouping: cookies, by: \.domain).mapValues(\.count)
    expect(counts.values.allSatisfy { $0 <= maxPerDomain } && cookies.count <= 3000, "too many cookies: \(counts)")
    expectEqual(Set(cookies.map(\.identity)).count, cookies.count, "cookies with the same identity")
    for cookie in cookies {
        expect(cookie.nameText.byteCount + cookie.valueText.byteCount <= 4096, "\(cookie) is too large")
        expect(cookie.pathText.byteCount <= 1024, "the path of \(cookie) is too large")
    }
}
