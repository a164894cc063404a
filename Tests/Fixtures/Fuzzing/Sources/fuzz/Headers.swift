import Foundation

@testable import StreamsHTTP
@testable import StreamsLoopback

/// Fields that are accepted are lines without CR, LF and NUL, of which the server's parser reads the same fields.
/// Changes keep what HTTPHeaders promises.
func fuzzHeaders(_ input: inout Input) throws {
    var headers = HTTPHeaders()
    while !input.isEmpty {
        let kind = input.byte()
        let (name, bytes) = (input.text(), input.field())
        let value = String(decoding: bytes, as: UTF8.self)
        let isSensitive = kind & 1 != 0
        switch kind & 6 {
        case 0: headers.add(HTTPHeaders.Field(name: name, bytes: bytes, isSensitive: isSensitive))
        case 2: expectSetting(name, value, isSensitive, in: &headers)
        case 4: expectMerging(name, value, isSensitive, in: &headers)
        default:
            headers.remove(name)
            expect(!headers.contains(name) && headers[name] == nil, "a field was not removed")
        }
    }
    expectEqual(headers, HTTPHeaders(Array(headers)), "a copy is another")
    for field in headers where field.isSensitive && field.value.utf8.count > 12 {
        // Bytes, because Foundation's search traps for some texts.
        let (secret, name) = (Array(field.value.utf8), Array("\(field.name): ".utf8))
        guard name.firstRange(of: secret) == nil else { continue }
        expect(Array(field.description.utf8).firstRange(of: secret) == nil, "a secret is shown")
    }
    if headers.firstInvalidName == nil { try expectLines(of: headers) }
}

private func expectSetting(_ name: String, _ value: String, _ isSensitive: Bool, in headers: inout HTTPHeaders) {
    let wasSensitive = headers.contains { $0.name.isEqualIgnoringASCIICase(to: name) && $0.isSensitive }
    headers.set(name, value, isSensitive: isSensitive)
    let fields = headers.filter { $0.name.isEqualIgnoringASCIICase(to: name) }
    expectEqual(fields.map(\.value), [value], "values that were set")
    expect(fields[0].isSensitive || !(wasSensitive || isSensitive), "the mark of a secret was lost")
}

private func expectMerging(_ name: String, _ value: String, _ isSensitive: Bool, in headers: inout HTTPHeaders) {
    let before = headers.values(for: name)
    headers = headers.merging(defaults: [HTTPHeaders.Field(name: name, value: value, isSensitive: isSensitive)].headers)
    expectEqual(headers.values(for: name), before.isEmpty ? [value] : before, "values that were merged")
    let areSensitive = headers.allSatisfy { !$0.name.isEqualIgnoringASCIICase(to: name) || $0.isSensitive }
    expect(areSensitive || !isSensitive, "the mark of a secret was lost")
}

extension [HTTPHeaders.Field] {
    fileprivate var headers: HTTPHeaders { HTTPHeaders(self) }
}

extension HTTPHeaders.Field {
    fileprivate var trimmedBytes: [UInt8] {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return Array(bytes.reversed().drop(while: isBlank).reversed().drop(while: isBlank))
    }
}

private func expectLines(of headers: HTTPHeaders) throws {
    var connection = RequestOptions.Connection()
    connection.decodesContent = false
    let request = TransportRequest(
        method: .get, url: LazyURL("http://localhost/"), headers: headers, body: .empty,
        connection: connection, connectTimeout: nil, idleTimeout: nil, usesBackpressure: false,
        headLimits: RequestOptions.HeadLimits(), previewName: nil)
    let head = StreamsHTTP.RequestHead(request: request, form: .origin, framing: nil).bytes
    var lines = head.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array($0) }
    expect(lines.removeLast().isEmpty && lines.removeLast() == Array("\r".utf8), "another end than an empty line")
    for index in lines.indices { expect(lines[index].popLast() == UInt8(ascii: "\r"), "a line break in a line") }
    // The first line is that of the request.
    lines.removeFirst(headers.contains("Host") ? 1 : 2)
    let read = try Array(StreamsLoopback.RequestHead.fields(lines))
    expectEqual(read.map(\.name), headers.map(\.name), "names")
    expectEqual(read.map(\.bytes), headers.map(\.trimmedBytes), "values")
}
