/// The faults of a reply over HTTP/2 that have not occurred yet, in order.
struct HTTP2FaultSchedule {
    /// A fault with a place.
    enum Entry {
        case own(Fault.HTTP2)
        case common(Fault)
    }

    private var entries: [(place: Fault.Place, entry: Entry)]

    init(_ reply: Reply) {
        entries = reply.http2Faults.map { ($0.place, .own($0)) }
        // A field block and content have no chunk.
        if case .malformedChunkSize = reply.fault { return }
        if let fault = reply.fault, let place = fault.place { entries.append((place, .common(fault))) }
    }

    /// Whether a fault occurs in the body.
    var hasFaultInBody: Bool { entries.contains { $0.place.bytesOfBody != nil } }

    /// The number of bytes of the field block before the next fault in it.
    var nextInHead: Int? { entries.compactMap(\.place.bytesOfHead).min() }

    /// The number of bytes of content before the next fault in it.
    var nextInBody: Int? { entries.compactMap(\.place.bytesOfBody).min() }

    /// Whether the connection stalls after the reply.
    var stallsConnectionAfterReply: Bool {
        entries.contains { place, entry in
            switch entry {
            case .own(.stallConnection), .common(.stall): place == .afterReply
            default: false
            }
        }
    }

    /// Removes and returns the first fault whose place meets a condition.
    mutating func take(where condition: (Fault.Place) -> Bool) -> Entry? {
        guard let index = entries.firstIndex(where: { condition($0.place) }) else { return nil }
        return entries.remove(at: index).entry
    }

    /// Removes and returns the code of the first fault that resets the stream within a field block of a size.
    mutating func takeReset(inHeadOf count: Int) -> HTTP2ErrorCode? {
        for (index, (place, entry)) in entries.enumerated() {
            guard let bytes = place.bytesOfHead, bytes < count else { continue }
            switch entry {
            case .own(.resetStream(let code, _)):
                entries.remove(at: index)
                return code
            case .common(.reset):
                entries.remove(at: index)
                return .internalError
            default: continue
            }
        }
        return nil
    }
}
