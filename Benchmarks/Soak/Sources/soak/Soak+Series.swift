import StreamsHTTP
import StreamsLoopback

/// Exchanges of several requests, of which each depends on the response to the one before.
extension Soak {
    /// Reads a list of pages, some of which break at the first attempt.
    ///
    /// - Returns: The problem; `nil` if each page has come once and in order.
    static func readPages(from first: HTTPRequest, with client: HTTPClient) async throws -> String? {
        var count = 0
        for try await page in client.linkedPages(for: first).values {
            count += 1
            guard page.number == count, page.value.count == HostileServer.size(ofPage: count),
                GeneratedBytes.matches(page.value, at: 0)
            else { return "\(page.value.count) bytes as page \(page.number), in place of page \(count)" }
        }
        return count == HostileServer.pageCount ? nil : "\(count) pages"
    }

    /// Makes two requests, of which the second has the cookie that the response to the first has set, or that a later
    /// one has.
    ///
    /// - Parameters:
    ///   - number: The number of the exchange, which is the value of the cookies that it sets.
    ///   - room: The part of the server that the cookies are for.
    /// - Returns: The problem; `nil` if each cookie is one that was set there, and the jar is within its limits.
    func visit(_ request: HTTPRequest, of room: Int, _ number: Int, with clients: Clients) async throws -> String? {
        var request = request
        request.headers.set(HostileServer.visitField, "\(number)")
        for isKnown in [false, true] {
            let field = try await clients.usual.response(for: request).text()
            let names = field.split(separator: "; ").map { pair in name(of: pair, in: room) }
            if names.contains(nil) { return "a cookie that was not set in \(room): \(field)" }
            if isKnown, !names.contains("visit") { return "no cookie of \(room): \(field)" }
        }
        let counts = Dictionary(grouping: clients.jar.cookies, by: \.domain).mapValues(\.count)
        return counts.values.allSatisfy { $0 <= Self.maxCookies } ? nil : "too many cookies: \(counts)"
    }

    /// Returns the name of a cookie without its number; `nil` if no exchange has set it in the room.
    private func name(of pair: Substring, in room: Int) -> Substring? {
        let parts = pair.split(separator: "=")
        guard parts.count == 2, let value = Int(parts[1]),
            (1...max(settings.exchanges, Self.warmUp)).contains(value),
            HostileServer.room(of: value) == room
        else { return nil }
        switch parts[0] {
        case "visit": return "visit"
        case "extra\(value)": return "extra"
        default: return nil
        }
    }

    /// The limit of the cookies of a domain.
    private static let maxCookies = 50
}
