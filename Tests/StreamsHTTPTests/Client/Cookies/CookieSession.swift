@testable import StreamsHTTP

/// A jar that a test fills with responses, and asks for the fields of requests, at a date of its own.
struct CookieSession {
    let jar: CookieJar
    var date: Date

    init(_ jar: CookieJar = CookieJar(), at date: Date = Date()) {
        self.jar = jar
        self.date = date
    }

    /// Moves the date.
    mutating func wait(_ seconds: Double) {
        date = date.addingTimeInterval(seconds)
    }

    /// Passes a response to the jar.
    func receive(_ fields: String..., from url: String) {
        receive(fields, from: url)
    }

    func receive(_ fields: [String], from url: String) {
        let headers = HTTPHeaders(fields.map { HTTPHeaders.Field(name: "Set-Cookie", value: $0) })
        jar.takeCookies(from: headers, of: LazyURL(url), at: date)
    }

    /// The field `Cookie` of a request; empty if it has none.
    func field(for url: String) -> String {
        jar.cookies(for: LazyURL(url), at: date).map(\.pair).joined(separator: "; ").string
    }
}

extension CookieJar {
    /// The cookies as text.
    var pairs: [String] { cookies.map(\.pair.string) }
}
