import StreamsHTTP

/// The facts about a request that the variables of `-w` stand for.
struct WriteOut {
    var response: HTTPResponse<Void>?
    /// The use of the cache; `nil` without one.
    private var cacheStatus: CacheStatus?
    /// The URL of the first request, without credentials.
    private var url: String
    /// The path of the file that has the body; `nil` for none.
    var outputPath: String?
    /// The bytes of the last response's body, on the wire.
    private var downloaded: Int64 = 0
    /// The bytes of the request's body in the last attempt.
    private var uploaded: Int64 = 0

    init(_ arguments: RequestArguments) {
        url = arguments.redaction.redacting(url: arguments.url)
        outputPath = arguments.outputPath
    }

    mutating func observe(_ event: RequestEvent<Void>) {
        switch event {
        case .attempt(let attempt):
            if attempt.number == 1 { url = attempt.url.absoluteString }
            (downloaded, uploaded) = (0, 0)
        case .uploadProgress(let progress): uploaded = progress.completed
        case .downloadProgress(let progress): downloaded = progress.completed
        case .head(let head): (response, cacheStatus) = (head, head.cacheStatus)
        case .response(let response): self.response = response
        case .chunk, .retrying: break
        }
    }

    /// Writes a format.
    ///
    /// - Parameters:
    ///   - format: The format.
    ///   - metrics: The request's metrics; `nil` if it was not started.
    ///   - status: The exit status of the tool.
    ///   - message: The message of the error, if there was one.
    func write(
        _ format: WriteOutFormat, _ metrics: HTTPRequest.Metrics?, status: ExitStatus, message: String?
    ) throws(SystemError) {
        let isComplete = status == .success || status == .errorResponse
        let timing = WriteOutTiming(metrics, isComplete: isComplete)
        var descriptor = Descriptor.standardOutput
        for piece in format.pieces {
            switch piece {
            case .text(let text):
                try descriptor.writeAll(Data(text.bytes))
            case .variable(let variable):
                let facts = Facts(metrics: metrics, timing: timing, status: status, message: message)
                let text = text(of: variable, facts)
                try descriptor.writeAll(Data(text.utf8))
            case .header(let name):
                try descriptor.writeAll(Data(response?.headers[bytes: name] ?? []))
            case .standardError: descriptor = .standardError
            case .standardOutput: descriptor = .standardOutput
            case .onError: if status == .success { return }
            }
        }
    }

    /// The facts that are known after the request.
    private struct Facts {
        let metrics: HTTPRequest.Metrics?
        let timing: WriteOutTiming
        let status: ExitStatus
        let message: String?
    }

    private func text(of variable: WriteOutVariable, _ facts: Facts) -> String {
        switch variable {
        case .json: json(facts)
        case .headerJSON: headerJSON
        default: value(of: variable, facts)
        }
    }

    private func value(of variable: WriteOutVariable, _ facts: Facts) -> String {
        let (metrics, timing) = (facts.metrics, facts.timing)
        return switch variable {
        case .cacheStatus: cacheStatus.map { "\($0)" } ?? ""
        case .contentType: response?.headers["Content-Type"] ?? ""
        case .errorMessage: facts.message ?? ""
        case .exitCode: "\(facts.status.rawValue)"
        case .filename: outputPath ?? ""
        case .httpCode, .responseCode: response?.status.description ?? "000"
        case .httpVersion: response?.version.curlDescription ?? "0"
        case .method: metrics?.exchanges.last?.method.rawValue ?? ""
        case .connections: "\(metrics?.exchanges.count { $0.measured?.isConnectionReused == false } ?? 0)"
        case .headers: "\(response?.headers.count ?? 0)"
        case .redirects: "\(metrics?.redirects ?? 0)"
        case .retries: "\(max((metrics?.attempts ?? 0) - 1, 0))"
        case .redirectURL: response?.location ?? ""
        case .remoteAddress: timing.remote?.address ?? ""
        case .remotePort: timing.remote?.port ?? "-1"
        case .scheme: String((response?.url.absoluteString ?? url).prefix { $0 != ":" }).lowercased()
        case .downloadSize: "\(downloaded)"
        case .headerSize: "\(timing.headerSize)"
        case .requestSize: "\(timing.requestSize)"
        case .uploadSize: "\(uploaded)"
        case .downloadSpeed: timing.rate(of: downloaded)
        case .uploadSpeed: timing.rate(of: uploaded)
        case .handshakeTime: timing.text(\.tlsHandshake)
        case .connectTime: timing.text(\.connect)
        case .lookupTime: timing.text(\.nameLookup)
        case .pretransferTime: timing.text(\.pretransfer)
        case .redirectTime: timing.redirectTime
        case .firstByteTime: timing.text(\.firstByte)
        case .totalTime: timing.totalTime
        case .url: url
        case .effectiveURL: response?.url.absoluteString ?? url
        case .json, .headerJSON: ""
        }
    }

    /// All other variables as an object of JSON, with `null` for empty texts, as curl writes it.
    private func json(_ facts: Facts) -> String {
        var line = JSONLine()
        let variables = WriteOutVariable.allCases.filter { $0 != .json && $0 != .headerJSON }
        for variable in variables.sorted(by: { $0.rawValue < $1.rawValue }) {
            let value = value(of: variable, facts)
            switch variable {
            case .httpCode, .responseCode: line.add(variable.rawValue, Int64(response?.status.code ?? 0))
            case _ where variable.isNumber: line.add(variable.rawValue, number: value)
            case _ where value.isEmpty: line.add(variable.rawValue, nil)
            default: line.add(variable.rawValue, value)
            }
        }
        line.add("curl_version", "\(SystemTransport.runtime)")
        return line.object
    }

    /// The header fields of the response as an object of JSON: the values of each name in an array, a name in a line,
    /// as curl writes it.
    private var headerJSON: String {
        var names: [String] = []
        var values: [String: [String]] = [:]
        for field in response?.headers ?? [:] {
            let name = field.name.lowercased()
            if values[name] == nil { names.append(name) }
            values[name, default: []].append(JSONLine.quote(field.value))
        }
        let members = names.map { "\(JSONLine.quote($0)):[\((values[$0] ?? []).joined(separator: ","))]" }
        return "{\(members.joined(separator: ",\n"))\n}"
    }
}

extension WriteOutVariable {
    /// Whether the value is a number in JSON.
    fileprivate var isNumber: Bool {
        switch self {
        case .exitCode, .httpCode, .connections, .headers, .redirects, .retries, .remotePort, .responseCode,
            .downloadSize, .headerSize, .requestSize, .uploadSize, .downloadSpeed, .uploadSpeed, .handshakeTime,
            .connectTime, .lookupTime, .pretransferTime, .redirectTime, .firstByteTime, .totalTime:
            true
        case .cacheStatus, .contentType, .errorMessage, .filename, .headerJSON, .httpVersion, .json, .method,
            .redirectURL,
            .remoteAddress, .scheme, .url, .effectiveURL:
            false
        }
    }
}

/// The times of the last attempt, from the start of its first exchange, in seconds with six digits.
private struct WriteOutTiming {
    private let last: TransportEvent.Metrics?
    /// The exchanges of the last attempt: those of the redirects, then the last one.
    private let attempt: [TransportEvent.Metrics]
    /// The time from the start of the attempt to the start of its last exchange: that of the redirects.
    private let start: Duration
    private let total: Duration

    /// - Parameters:
    ///   - metrics: The request's metrics; `nil` if it was not started.
    ///   - isComplete: Whether the response was received.
    init(_ metrics: HTTPRequest.Metrics?, isComplete: Bool) {
        let exchanges = metrics?.exchanges ?? []
        let lastStart = exchanges.last?.start ?? .zero
        let ofAttempt = exchanges.filter { $0.attempt == exchanges.last?.attempt }
        let attemptStart = ofAttempt.first?.start ?? .zero
        attempt = ofAttempt.compactMap(\.measured)
        last = exchanges.last?.measured
        start = lastStart - attemptStart
        // The measurements of a failed exchange may end before its timeout.
        let measured = isComplete ? last.map { lastStart - attemptStart + $0.total } : nil
        total = measured ?? (metrics?.total ?? .zero) - attemptStart
    }

    var totalTime: String { Self.text(total) }

    var redirectTime: String { Self.text(start) }

    func text(_ time: KeyPath<TransportEvent.Metrics, Duration?>) -> String {
        Self.text(last?[keyPath: time].map { start + $0 } ?? .zero)
    }

    /// The size of all requests of the attempt in bytes.
    var requestSize: Int64 { attempt.reduce(0) { $0 + $1.requestSize } }

    /// The size of the heads of all responses to the attempt in bytes.
    var headerSize: Int64 { attempt.reduce(0) { $0 + $1.headerSize } }

    /// Returns the number of bytes per second.
    func rate(of bytes: Int64) -> String {
        let seconds = total / .seconds(1)
        return seconds > 0 ? "\(Int64(min((Double(bytes) / seconds).rounded(), 1e18)))" : "0"
    }

    /// The remote address and port.
    var remote: (address: String, port: String)? {
        guard let text = last?.remoteAddress, let colon = text.lastIndex(of: ":") else { return nil }
        let address = text[..<colon].filter { $0 != "[" && $0 != "]" }
        return (address, String(text[text.index(after: colon)...]))
    }

    private static func text(_ time: Duration) -> String {
        let microseconds = Int64(max(time, .zero) / .microseconds(1))
        let digits = String(microseconds % 1_000_000)
        return "\(microseconds / 1_000_000).\(String(repeating: "0", count: 6 - digits.count))\(digits)"
    }
}

extension HTTPVersion {
    /// The version as curl writes it: `1`, `1.1`, `2`.
    fileprivate var curlDescription: String { minor == 0 ? "\(major)" : "\(major).\(minor)" }
}
