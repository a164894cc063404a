/// The head of a request by HTTP/1.1 (RFC 9112, sections 3 and 5).
struct RequestHead {
    /// The form of the request's target (RFC 9112, section 3.2).
    enum TargetForm: Hashable {
        /// For the server itself, or through a tunnel.
        case origin
        /// For a proxy, with the value of `Proxy-Authorization`, if there is one.
        case absolute(authorization: String?)
    }

    /// The way in which the server finds the end of the content (RFC 9112, section 6.3).
    enum Framing: Equatable {
        case none
        case length(Int64)
        case chunked
    }

    let request: TransportRequest
    let form: TargetForm
    let framing: Framing

    /// The head as it is sent.
    var bytes: [UInt8] {
        let url = request.lazyURL
        let codings = offeredCodings
        let authorization = proxyAuthorization
        var size = request.method.rawValue.utf8.count + 2 * url.text.utf8.count + 192
        size += (codings?.utf8.count ?? 0) + (authorization?.utf8.count ?? 0)
        for field in request.headers.fields { size += field.name.utf8.count + field.value.utf8.count + 4 }
        return [UInt8](maxCount: size) { writer in
            writeRequestLine(url, to: &writer)
            if !request.headers.contains("Host") { writer.append("Host", url.host) }
            for field in request.headers.fields { writer.append(field.name, field.value) }
            if let codings { writer.append("Accept-Encoding", codings) }
            if let authorization { writer.append("Proxy-Authorization", authorization) }
            switch framing {
            case .none: break
            case .length(let length): writer.append("Content-Length", "\(length)")
            case .chunked: writer.append("Transfer-Encoding", "chunked")
            }
            writer.append("\r\n")
        }
    }

    private var offeredCodings: String? {
        request.offersContentCodings && !request.headers.contains("Accept-Encoding") ? ContentCoding.accepted : nil
    }

    private var proxyAuthorization: String? {
        guard case .absolute(let authorization) = form, !request.headers.contains("Proxy-Authorization") else {
            return nil
        }
        return authorization
    }

    private func writeRequestLine(_ url: LazyURL, to writer: inout ByteWriter) {
        writer.append(request.method.rawValue)
        writer.append(" ")
        if form != .origin { writer.append(url.base) }
        let target = url.pathAndQuery
        if target.utf8.first != UInt8(ascii: "/") { writer.append("/") }
        writer.append(target)
        writer.append(" HTTP/1.1\r\n")
    }
}

extension ByteWriter {
    /// Appends a field line.
    fileprivate mutating func append(_ name: String, _ value: some StringProtocol) {
        append(name)
        append(": ")
        append(value)
        append("\r\n")
    }
}
