import Foundation

@testable import StreamsLoopback

/// The server's reader makes the same of a client's bytes however they are split, and of what it read, printed again.
func fuzzServer(_ input: inout Input) {
    let size = Int(input.byte()) + 1
    let bytes = input.remainder()
    let whole = exchanges(of: [bytes[...]])
    expectEqual(whole, exchanges(of: bytes.split(every: size)), "the result depends on reads of \(size) bytes")
    let start = bytes.prefix(maxReads).split(every: 1) + [bytes.dropFirst(maxReads)]
    expectEqual(whole, exchanges(of: start), "the result depends on reads of a byte")
    for case .request(let request) in whole {
        let printed = [request.printed[...]]
        expectEqual(
            exchanges(of: printed, headLimit: .max), [.request(request), .end("closed")], "a printed request is another"
        )
    }
}

/// The number of small reads, bounded by what a socket holds.
private let maxReads = 64

private enum Outcome: Equatable {
    case request(Request)
    case end(String)
}

private struct Request: Equatable {
    let method: String
    let target: String
    let version: String
    let headers: HeaderFields
    let isChunked: Bool
    let body: [UInt8]
    let trailers: HeaderFields

    var printed: [UInt8] {
        let head = "\(method) \(target) \(version)\r\n".utf8 + headers.printed + "\r\n".utf8
        guard isChunked else { return head + body }
        let chunk = body.isEmpty ? [] : Array("\(String(body.count, radix: 16))\r\n".utf8) + body + Array("\r\n".utf8)
        return head + chunk + "0\r\n".utf8 + trailers.printed + "\r\n".utf8
    }
}

extension HeaderFields {
    fileprivate var printed: [UInt8] { flatMap { "\($0.name): ".utf8 + $0.bytes + "\r\n".utf8 } }
}

extension Collection<UInt8> where SubSequence == ArraySlice<UInt8>, Index == Int {
    fileprivate func split(every size: Int) -> [ArraySlice<UInt8>] {
        let size = Swift.max(size, count / maxReads + 1)
        return stride(from: startIndex, to: endIndex, by: size).map { self[$0..<Swift.min($0 + size, endIndex)] }
    }
}

/// Raised by nothing.
private let stop = Signal()

private func exchanges(of reads: [ArraySlice<UInt8>], headLimit: Int = 1024) -> [Outcome] {
    var sockets: [CInt] = [0, 0]
    // Each read of such a socket returns what one call has written.
    guard let stop, socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0, &sockets) == 0 else { return [] }
    defer { for socket in sockets { close(socket) } }
    for read in reads where !read.isEmpty {
        let count = read.withUnsafeBytes { send(sockets[1], $0.baseAddress, $0.count, 0) }
        expect(count == read.count, "the socket is full")
    }
    shutdown(sockets[1], CInt(SHUT_WR))
    let line = Line(socket: Socket(descriptor: sockets[0]), stop: stop)
    var reader = RequestReader(line: line, headLimit: headLimit)
    var outcomes: [Outcome] = []
    do throws(Line.Break) {
        while let head = try reader.nextHead() {
            expect(head.location.path.utf8.first != UInt8(ascii: "?"), "the path begins with a question mark")
            _ = (head.keepsAlive, head.expectsContinue)
            outcomes.append(.request(try request(head, &reader)))
        }
        return outcomes + [.end("closed")]
    } catch {
        return outcomes + [.end("\(error)")]
    }
}

private func request(_ head: RequestHead, _ reader: inout RequestReader) throws(Line.Break) -> Request {
    var body = RequestReader.Body(head.framing)
    var content: [UInt8] = []
    while let part = try reader.next(of: &body, atMost: .max) { content += part }
    return Request(
        method: head.method, target: head.target, version: head.version, headers: head.headers,
        isChunked: head.framing == .chunked, body: content, trailers: body.trailers)
}
