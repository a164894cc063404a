@testable import StreamsHTTP

private let methods: [HTTPMethod] = [.get, .head, .post]

/// A response is the same however its bytes are split into reads, and however its content is taken. What it keeps of
/// the bytes is the rest of them.
func fuzzResponse(_ input: inout Input) {
    let method = methods[Int(input.byte()) % methods.count]
    let (part, piece) = (Int(input.byte()) + 1, Int(input.byte()) + 1)
    let bytes = input.remainder()
    let whole = outcome(of: bytes, method, part: max(bytes.count, 1), piece: .max)
    expectEqual(outcome(of: bytes, method, part: part, piece: piece), whole, "the response depends on its parts")
    expectEqual(outcome(of: bytes, method, part: 1, piece: 1), whole, "the response depends on its bytes")
    guard whole.failure == nil else { return }
    expect(whole.isComplete || whole.canEnd == (whole.length == nil && whole.hasHead && !whole.isChunked), "the end")
    if whole.isComplete, let length = whole.length, !whole.isChunked {
        expect(Int64(whole.content.count) == length, "\(whole.content.count) bytes of \(length)")
        expect(bytes.suffix(whole.rest.count).elementsEqual(whole.rest), "the rest is another")
    }
    if method == .head { expect(whole.content.isEmpty, "content after HEAD") }
    expect(!whole.keepsConnection || !whole.isDoubtful, "a connection is kept after a framing that contradicts itself")
    expect(whole.trailerNames.allSatisfy(isToken), "a name that is no token: \(whole.trailerNames)")
}

private struct Outcome: Equatable {
    var hasHead = false
    var isChunked = false
    /// The declared length of the content, if it has any.
    var length: Int64?
    var content: [UInt8] = []
    var trailers: [String] = []
    var trailerNames: [String] = []
    /// Whether the head declares content that there is not, or its end twice.
    var isDoubtful = false
    var isComplete = false
    var keepsConnection = false
    /// Whether the response is complete if the connection is closed now.
    var canEnd = false
    var failure: String?
    var rest: [UInt8] = []
}

/// Parses a response.
///
/// - Parameters:
///   - part: The number of bytes that come at once.
///   - piece: The number of bytes of content that are taken at once.
private func outcome(of bytes: [UInt8], _ method: HTTPMethod, part: Int, piece: Int) -> Outcome {
    var parser = ResponseParser(
        TransportRequest(
            method: method, url: LazyURL("http://localhost/"), headers: [:], body: .empty,
            connection: RequestOptions.Connection(), connectTimeout: nil, idleTimeout: nil, usesBackpressure: false,
            headLimits: RequestOptions.HeadLimits(), previewName: nil))
    var outcome = Outcome()
    var kept: [UInt8] = []
    do {
        for start in stride(from: 0, to: bytes.count, by: part) {
            kept += bytes[start..<min(start + part, bytes.count)]
            let count = try kept.withUnsafeBytes { bytes in
                var rest = bytes
                while let next = try parser.next(&rest) {
                    switch next {
                    case .head(let head):
                        outcome.hasHead = true
                        let framing = try BodyFraming(of: head, inAnswerTo: method)
                        outcome.isChunked = framing == .chunked
                        if framing == .none { outcome.length = 0 }
                        if case .length(let length) = framing { outcome.length = length }
                        let hasCoding = head.headers.contains("Transfer-Encoding")
                        let hasLength = head.headers.contains("Content-Length")
                        let isUnexpected = head.status == .noContent && head.headers.contentLength != .bytes(0)
                        outcome.isDoubtful =
                            hasCoding && (hasLength || framing == .none) || hasLength && isUnexpected
                    case .content(let count):
                        expect((1...rest.count).contains(count), "content that is not there")
                        let taken = min(count, piece)
                        outcome.content += rest[..<taken]
                        parser.consume(content: taken)
                        rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
                    }
                }
                return bytes.count - rest.count
            }
            kept.removeFirst(count)
        }
    } catch {
        outcome.failure = "\(error)"
        return outcome
    }
    outcome.isComplete = parser.isComplete
    outcome.keepsConnection = parser.keepsConnection
    outcome.trailerNames = parser.trailers?.map(\.name) ?? []
    outcome.trailers = parser.trailers?.map { "\($0.name): \($0.value)" } ?? []
    outcome.rest = kept
    outcome.canEnd = (try? parser.end()) != nil
    return outcome
}
