import Foundation
import Streams

@testable import StreamsHTTP

/// The origin of a case: responds by its script, and records the requests. It can stand behind any transport.
final class CacheCaseOrigin: Sendable {
    /// A request that has arrived, and the fields of its response whose values the client is to receive.
    struct Arrival: Sendable {
        /// The number of the client's request, from 1.
        let number: Int
        let method: HTTPMethod
        let headers: HTTPHeaders
        var checked = HTTPHeaders()
    }

    /// The reaction to a request.
    enum Reaction: Sendable {
        /// A response, after a pause in seconds.
        case reply(HTTPResponse<Void>, Data, pause: Int)
        /// The connection is closed without a response.
        case disconnect
    }

    private static let dateNames: Set = [
        "date", "expires", "last-modified", "if-modified-since", "if-unmodified-since",
    ]

    private let test: CacheCase
    private let state = Locked([Arrival]())

    init(_ test: CacheCase) {
        self.test = test
    }

    /// The requests that have arrived, in order.
    var arrivals: [Arrival] { state.withLock { $0 } }

    /// Takes a request.
    func react(to request: TransportRequest, at now: Date) -> Reaction {
        let number = request.headers["Req-Num"].flatMap { Int($0) } ?? 0
        guard (1...test.requests.count).contains(number) else { return .disconnect }
        let script = test.requests[number - 1]
        let count = arrivals.count + 1
        let now = now + TimeInterval(script.responsePause ?? 0)
        var arrival = Arrival(number: number, method: request.method, headers: request.headers)
        var headers: HTTPHeaders = ["Server-Request-Count": String(count), "Client-Request-Count": String(number)]
        headers.add("Server-Now", String(now.timeIntervalSince1970))
        for field in script.responseHeaders ?? [] {
            let value = Self.value(of: field, in: script, now: now, url: request.lazyURL)
            headers.add(field.name, value)
            if field.isChecked { arrival.checked.add(field.name, value) }
        }
        if !headers.contains("Content-Type") { headers.add("Content-Type", "text/plain") }
        let (status, phrase) = status(of: script, number, request, now)
        state.withLock { $0.append(arrival) }
        if script.disconnects == true { return .disconnect }
        let head = HTTPResponse(
            status: status, headers: headers, body: (), url: request.url, reasonPhrase: phrase)
        let body = head.hasContent(inAnswerTo: request.method) ? script.responseBody ?? test.id : ""
        return .reply(head, Data(body.utf8), pause: script.responsePause ?? 0)
    }

    /// The script's status, or 304 for the validation that it expects, and 999 without that.
    private func status(
        of script: CacheCase.Request, _ number: Int, _ request: TransportRequest, _ now: Date
    ) -> (HTTPStatus, String) {
        guard script.expectation == .etagValidated || script.expectation == .lmValidated else {
            return (HTTPStatus(script.status?.code ?? 200), script.status?.phrase ?? "OK")
        }
        let pairs = [("If-Modified-Since", "Last-Modified"), ("If-None-Match", "ETag")]
        let isCurrent = pairs.contains { condition, validator in
            guard let value = validatorBefore(number, validator) else { return false }
            return request.headers[condition] == value
        }
        return isCurrent ? (.notModified, "Not Modified") : (HTTPStatus(999), "304 Not Generated")
    }

    /// Returns a validator of the script before a number, even if that response was never sent.
    private func validatorBefore(_ number: Int, _ name: String) -> String? {
        guard number > 1, let fields = test.requests[number - 2].responseHeaders,
            let field = fields.first(where: { $0.name == name })
        else { return nil }
        if case .text(let text) = field.value { return text }
        return arrivals.last { $0.number == number - 1 }?.checked[name]
    }

    /// Returns the value of a field: with numbers as dates, and with the URLs of the case.
    static func value(of field: CacheCase.Field, in script: CacheCase.Request, now: Date, url: LazyURL) -> String {
        let name = field.name.lowercased()
        switch field.value {
        case .number(let seconds) where dateNames.contains(name):
            return (now + TimeInterval(seconds)).httpText
        case .number(let number): return String(number)
        case .text(let text) where script.hasMagicLocations == true && ["location", "content-location"].contains(name):
            return text.isEmpty ? String(url.pathAndQuery) : "\(url.pathAndQuery)/\(text)"
        case .text(let text): return text
        case nil: return ""
        }
    }
}

extension Date {
    /// The date as `IMF-fixdate` (RFC 9110, section 5.6.7).
    var httpText: String {
        var seconds = time_t(timeIntervalSince1970)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let pad = { (number: Int32) in number < 10 ? "0\(number)" : "\(number)" }
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(pad).joined(separator: ":")
        return "\(days[Int(parts.tm_wday)]), \(pad(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
            + "\(parts.tm_year + 1900) \(time) GMT"
    }
}
