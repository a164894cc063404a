@testable import StreamsHTTP

/// Fields `Set-Cookie` of parts that a random generator chooses, among them hostile ones.
struct CookieFields: Sequence, IteratorProtocol {
    private static let names = [
        "a", "b", "session", "__Host-a", "__secure-b", "", " ", "\u{e9}", "a b", "\t", "#a",
        String(repeating: "n", count: 4096),
    ]
    private static let values = [
        "", "1", "=", "\"x y\"", "\r\nX: y", "\0", "\u{7F}", "\t", "\u{1F36A}", "__Host-x=1",
        String(repeating: "v", count: 4090),
    ]
    private static let attributes = [
        "Secure", "HttpOnly", "Path=/", "Path=/x", "Path=x", "Path=", "Path=/\t", "Domain=com", "Domain=.h1.example",
        "Domain=example", "Domain=", "Domain=..", "Max-Age=0", "Max-Age=-1", "Max-Age=100",
        "Max-Age=99999999999999999999",
        "Expires=Thu, 01 Jan 1970 00:00:00 GMT", "Expires=1 Jan 9999 00:00:00", "Expires=99 Foo 99 99:99:99",
        "SameSite=None", "SameSite=Strict", "=", ";", "Path=/\(String(repeating: "p", count: 1030))",
    ]

    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func next() -> String? {
        var field = pick(Self.names)
        if Bool.random(using: &generator) { field += "=" }
        field += pick(Self.values)
        for _ in 0..<Int.random(in: 0...4, using: &generator) { field += "; " + pick(Self.attributes) }
        return field
    }

    private mutating func pick(_ texts: [String]) -> String { texts.randomElement(using: &generator) ?? "" }
}
