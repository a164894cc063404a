import Foundation

@testable import StreamsHTTP

/// Plays a case: builds its requests, takes their outcomes in turn, and judges them as the suite does. A test performs
/// the requests through a cache whose server is ``origin``, and advances the clock.
///
/// ```swift
/// var player = CacheCasePlayer(test)
/// for index in player.test.requests.indices {
///     player.take(perform(player.request(at: index)))
///     clock += player.pause(after: index)
/// }
/// player.verdict
/// ```
struct CacheCasePlayer {
    /// The outcome of a request, as the program sees it.
    enum Outcome {
        case response(HTTPResponse<Void>, Data)
        case failure
    }

    /// The judgement of a case.
    enum Verdict: Equatable {
        case holds
        /// An expectation does not hold.
        case fails(String)
        /// A preparation of the case does not hold, so that it says nothing.
        case isUnprepared(String)
    }

    /// An expectation that does not hold.
    fileprivate struct Violation: Error {
        let reason: String
        let isSetup: Bool
    }

    let test: CacheCase
    let origin: CacheCaseOrigin
    private var outcomes: [Outcome] = []

    init(_ test: CacheCase) {
        self.test = test
        origin = CacheCaseOrigin(test)
    }

    /// Returns the request of a step.
    func request(at index: Int) -> TransportRequest {
        let script = test.requests[index]
        var url = "http://cases.example/test/\(test.id)"
        if let filename = script.filename { url += "/\(filename)" }
        if let query = script.query { url += "?\(query)" }
        var headers = HTTPHeaders()
        for field in script.headers ?? [] {
            if case .text(let text) = field.value { headers.add(field.name, text) }
        }
        headers.add("Req-Num", String(index + 1))
        var request = TransportRequest(
            method: HTTPMethod(rawValue: script.method ?? "GET"), url: LazyURL(url).url, headers: headers,
            body: script.body.map { .text($0) } ?? .empty)
        // A browser's `no-cache` validates what is stored.
        if script.fetchMode == "no-cache" { request.cache.mode = .validated }
        return request
    }

    /// Returns the request of a step for a client, which delivers any response.
    func clientRequest(at index: Int) -> HTTPRequest {
        let request = request(at: index)
        return HTTPRequest(request.method, request.url, headers: request.headers, body: request.body).settingOptions {
            $0.cache = request.cache
            $0.validation = .acceptAll
            $0.redirects = .deliver
        }
    }

    /// Returns the time to wait after a step.
    func pause(after index: Int) -> TimeInterval { test.requests[index].pausesAfter == true ? 3 : 0 }

    /// Takes the outcome of the next step.
    mutating func take(_ outcome: Outcome) {
        outcomes.append(outcome)
    }

    /// The judgement, once all outcomes have been taken.
    var verdict: Verdict {
        do throws(Violation) {
            for (index, outcome) in outcomes.enumerated() { try check(outcome, index) }
            try checkArrivals()
            return .holds
        } catch {
            return error.isSetup ? .isUnprepared(error.reason) : .fails(error.reason)
        }
    }
}

// MARK: The client's side

extension CacheCasePlayer {
    private func check(_ outcome: Outcome, _ index: Int) throws(Violation) {
        let script = test.requests[index]
        guard case .response(let head, let body) = outcome else {
            try script.require(script.expectedStatus == 0, "expected_status", "request \(index + 1) failed")
            return
        }
        let count = head.headers["Server-Request-Count"].flatMap { Int($0) }
        switch script.expectation {
        case .cached:
            try script.require(
                count ?? .max < index + 1, "expected_type", "response \(index + 1) is not from the cache")
        case .notCached:
            try script.require(count == index + 1, "expected_type", "response \(index + 1) is from the cache")
        default: break
        }
        try checkStatus(head.status, script, index)
        for field in script.expectedResponseHeaders ?? [] { try check(field, in: head, script, index) }
        for field in script.missingResponseHeaders ?? [] {
            var values = head.headers.values(for: field.name)
            if case .text(let text) = field.value { values = values.filter { $0.contains(text) } }
            try script.require(
                values.isEmpty, "expected_response_headers_missing", "response \(index + 1) has \(field.name)")
        }
        try checkBody(body, head, script, index)
    }

    private func checkStatus(
        _ status: HTTPStatus, _ script: CacheCase.Request, _ index: Int
    ) throws(Violation) {
        let reason = "response \(index + 1) has the status \(status)"
        if let expected = script.expectedStatus {
            try script.require(expected == 0 || status.code == expected, "expected_status", reason)
        } else if let expected = script.status {
            try script.requireSetup(status.code == expected.code, reason)
        } else if status.code == 999 {
            try script.require(false, "expected_type", "request \(index + 1) is not conditional")
        } else {
            try script.requireSetup(status == .ok, reason)
        }
    }

    private func check(
        _ field: CacheCase.Field, in head: HTTPResponse<Void>, _ script: CacheCase.Request, _ index: Int
    ) throws(Violation) {
        let value = head.headers.combinedValue(field.name)
        let reason = "response \(index + 1) has \(field.name): \(value ?? "none")"
        let date = Date(timeIntervalSince1970: head.headers["Server-Now"].flatMap { Double($0) } ?? 0)
        let expected = CacheCaseOrigin.value(of: field, in: script, now: date, url: LazyURL(head.url))
        let holds: Bool
        if field.isMinimum {
            holds = (value.flatMap { Int($0) } ?? .min) > (Int(expected) ?? .max)
        } else {
            holds = field.value == nil ? value != nil : value == expected
        }
        try script.require(holds, "expected_response_headers", reason)
    }

    private func checkBody(
        _ body: Data, _ head: HTTPResponse<Void>, _ script: CacheCase.Request, _ index: Int
    ) throws(Violation) {
        guard script.checksBody != false else { return }
        let text = String(decoding: body, as: UTF8.self)
        let reason = "the body of response \(index + 1) is \"\(text)\""
        if let expected = script.expectedText {
            try script.require(expected.isEmpty || text == expected, "expected_response_text", reason)
        } else if let expected = script.responseBody {
            try script.requireSetup(text == expected, reason)
        } else if head.status != .noContent, head.status != .notModified, script.method != "HEAD" {
            try script.requireSetup(text == test.id, reason)
        }
    }
}

// MARK: The origin's side

extension CacheCasePlayer {
    private func checkArrivals() throws(Violation) {
        var arrivals = origin.arrivals[...]
        for (index, script) in test.requests.enumerated() where script.expectation != .cached {
            let arrival = arrivals.popFirst()
            switch script.expectation {
            case .notCached:
                try script.require(arrival?.number == index + 1, "expected_type", "request \(index + 1) is missing")
            case .etagValidated:
                try script.require(
                    arrival?.headers.contains("If-None-Match") == true, "expected_type",
                    "request \(index + 1) has no If-None-Match")
            case .lmValidated:
                try script.require(
                    arrival?.headers.contains("If-Modified-Since") == true, "expected_type",
                    "request \(index + 1) has no If-Modified-Since")
            default: break
            }
            for field in script.expectedRequestHeaders ?? [] {
                guard case .text(let text) = field.value else { continue }
                let value = arrival?.headers.combinedValue(field.name)
                try script.require(
                    value == text, "expected_request_headers",
                    "request \(index + 1) has \(field.name): \(value ?? "none")")
            }
            if let method = script.expectedMethod {
                try script.require(
                    arrival?.method.rawValue == method, "expected_method",
                    "request \(index + 1) has the method \(arrival?.method.rawValue ?? "none")")
            }
            guard let arrival, case .response(let head, _) = outcomes[index] else { continue }
            for field in arrival.checked where !field.name.isEqualIgnoringASCIICase(to: "Date") {
                let expected = arrival.checked.combinedValue(field.name)
                try script.requireSetup(
                    head.headers.combinedValue(field.name) == expected,
                    "response \(index + 1) has another \(field.name)")
            }
        }
    }
}

extension CacheCase.Request {
    /// Throws if an expectation does not hold.
    fileprivate func require(_ holds: Bool, _ name: String, _ reason: String) throws(CacheCasePlayer.Violation) {
        let isSetup = isSetup == true || setupTests?.contains(name) == true
        if !holds { throw CacheCasePlayer.Violation(reason: reason, isSetup: isSetup) }
    }

    /// Throws if what prepares the case does not hold.
    fileprivate func requireSetup(_ holds: Bool, _ reason: String) throws(CacheCasePlayer.Violation) {
        if !holds { throw CacheCasePlayer.Violation(reason: reason, isSetup: true) }
    }
}

extension HTTPHeaders {
    /// The values of a name as one; `nil` without any.
    fileprivate func combinedValue(_ name: String) -> String? {
        let values = values(for: name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}
