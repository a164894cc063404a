// The body of a response that is collected.

extension ExchangeMachine {
    /// Most bodies are one chunk, which then need not be copied.
    mutating func collect(_ chunk: Data, of head: HTTPResponse<Void>, _ effects: inout Effects) {
        if body.isEmpty {
            let expected = min(head.declaredLength ?? 0, Int64(plan.maxBodySize ?? 0), 1 << 20)
            isBodyBorrowed = chunk.count >= expected
            guard !isBodyBorrowed else { return body = chunk }
            body.reserveCapacity(Int(expected))
        } else if isBodyBorrowed {
            // To append to it could release memory that is the transport's.
            var whole = Data(capacity: body.count + chunk.count)
            whole.append(body)
            dropBody(&effects)
            body = whole
        }
        body.append(chunk)
    }

    /// Hands over what has been collected, which is its receiver's alone from then on.
    mutating func takeBody() -> Data {
        isBodyBorrowed = false
        defer { body = Data() }
        return body
    }

    /// Has what has been collected released outside of the lock: its memory may be the transport's.
    mutating func dropBody(_ effects: inout Effects) {
        if isBodyBorrowed { effects.released.append(body) }
        isBodyBorrowed = false
        body = Data()
    }
}
