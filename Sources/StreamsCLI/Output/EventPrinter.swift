import StreamsHTTP

/// Prints the events of a request as JSON objects, one per line.
struct EventPrinter {
    let descriptor: Descriptor
    let redaction: Redaction

    /// Prints an event. The end of the request is printed by ``finished(_:bytes:)`` or ``failed(_:)``.
    func print(_ event: RequestEvent<Void>) throws(SystemError) {
        switch event {
        case .attempt(let attempt):
            try print("attempt") { line in
                line.add("number", Int64(attempt.number))
                line.add("method", attempt.method.rawValue)
                line.add("url", redaction.redacting(attempt.url))
            }
        case .uploadProgress(let progress):
            try print("upload") { line in
                line.add("sent", progress.completed)
                line.add("total", progress.total)
            }
        case .head(let head):
            try print("head") { line in
                line.add("status", Int64(head.status.code))
                // Names are the same in any case; HTTP/2 has them in small letters only (RFC 9113, section 8.2).
                line.add("headers", head.headers.map { ($0.name.lowercased(), redaction.redactedValue(of: $0)) })
                if let status = head.cacheStatus { line.add("cache", "\(status)") }
            }
        case .downloadProgress(let progress):
            try print("download") { line in
                line.add("received", progress.completed)
                line.add("total", progress.total)
            }
        case .chunk(let chunk):
            try print("chunk") { $0.add("bytes", Int64(chunk.count)) }
        case .retrying(let retry):
            try print("retry") { line in
                line.add("after", retry.delay)
                line.add("kind", retry.error.name)
                line.add("reason", String(describing: retry.error))
            }
        case .response:
            break
        }
    }

    func finished(_ status: HTTPStatus, bytes: Int64) throws(SystemError) {
        try print("finished") { line in
            line.add("status", Int64(status.code))
            line.add("bytes", bytes)
        }
    }

    func failed(_ failure: Failure) throws(SystemError) {
        try print("failed") { $0.add(failure) }
    }

    private func print(_ event: String, _ addMembers: (inout JSONLine) -> Void) throws(SystemError) {
        var line = JSONLine(event: event)
        addMembers(&line)
        try descriptor.writeAll(line.data)
    }
}
