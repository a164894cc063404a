import Foundation

@testable import StreamsHTTP

/// A form that can be written is read as the same parts by a reader after RFC 2046, section 5.1.
func fuzzMultipart(_ input: inout Input) {
    let boundary = input.text()
    var form = MultipartForm()
    while !input.isEmpty, form.parts.count < 16 {
        let kind = input.byte()
        let (name, content) = (input.text(), Data(input.field()))
        let filename = kind & 1 == 0 ? nil : input.text()
        let headers: HTTPHeaders = kind & 2 == 0 ? [:] : HTTPHeaders([.init(name: input.text(), value: input.text())])
        form.append(
            MultipartForm.Part(
                name, .data(content, contentType: kind & 4 == 0 ? nil : "text/plain"), filename: filename,
                headers: headers))
    }
    var generator = SplitMix(state: UInt64(boundary.utf8.count))
    for wanted in [boundary, nil] {
        // A form that is not written has a typed error, which the compiler checks.
        guard let body = try? form.body(boundary: wanted, using: &generator) else { continue }
        guard case .data(let data) = body.content else { return expect(false, "a form in memory is not in memory") }
        expectParts(of: form, in: Array(data), contentType: body.contentType ?? "")
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

private func expectParts(of form: MultipartForm, in bytes: [UInt8], contentType: String) {
    let prefix = "multipart/form-data; boundary="
    expect(contentType.hasPrefix(prefix), "\(contentType) has no boundary")
    var boundary = contentType.dropFirst(prefix.count)
    if boundary.hasPrefix("\"") { boundary = boundary.dropFirst().dropLast() }
    let parts = parts(of: bytes, boundary: Array(boundary.utf8))
    expectEqual(parts.count, form.parts.count, "the number of parts")
    for (part, read) in zip(form.parts, parts) {
        guard case .data(let content) = part.body.content else { return }
        expectEqual(Data(read.content), content, "the content of a part")
        expectEqual(read.lines.count, read.fields.count, "a line of a part that is no field")
        let filename = part.filename.map { "; filename=\"\(escaped($0))\"" } ?? ""
        let name = escaped(part.name.replacingLineBreaks)
        expectEqual(read.fields.first?.value, "form-data; name=\"\(name)\"\(filename)", "the disposition")
        let type = part.headers["Content-Type"] ?? part.body.contentType
        expectEqual(read.fields.first { $0.name == "Content-Type" }?.value, type, "the type")
        for field in part.headers where field.name.lowercased() != "content-type" {
            expect(read.fields.contains { $0.name == field.name && $0.value == field.value }, "the field \(field)")
        }
    }
}

private struct ReadPart {
    let lines: [ArraySlice<UInt8>]
    let content: ArraySlice<UInt8>

    var fields: [(name: String, value: String)] {
        lines.compactMap { line in
            line.firstIndex(of: UInt8(ascii: ":")).map { colon in
                let value = String(decoding: line[(colon + 1)...].dropFirst(), as: UTF8.self)
                return (String(decoding: line[..<colon], as: UTF8.self), value)
            }
        }
    }
}

/// Reads parts up to the closing delimiter.
private func parts(of bytes: [UInt8], boundary: [UInt8]) -> [ReadPart] {
    // The line break before a delimiter is part of it; the first may come without one.
    let delimiter = Array("\r\n--".utf8) + boundary
    var rest = (Array("\r\n".utf8) + bytes)[...]
    var parts: [ReadPart] = []
    guard let first = rest.range(of: delimiter) else { return [] }
    rest = rest[first.upperBound...]
    while !rest.starts(with: "--".utf8) {
        expect(rest.starts(with: "\r\n".utf8), "a delimiter does not end its line")
        rest = rest.dropFirst(2)
        var lines: [ArraySlice<UInt8>] = []
        while let end = rest.range(of: Array("\r\n".utf8)) {
            let line = rest[..<end.lowerBound]
            rest = rest[end.upperBound...]
            if line.isEmpty { break }
            expect(!line.contains { $0 == 0 || $0 == 10 || $0 == 13 }, "a control character in a part's header")
            lines.append(line)
        }
        // The line break before the delimiter may be the one that ends the header.
        guard let end = rest.range(of: delimiter) else { return [] }
        parts.append(ReadPart(lines: lines, content: rest[..<end.lowerBound]))
        rest = rest[end.upperBound...]
    }
    return parts
}

extension ArraySlice<UInt8> {
    fileprivate func range(of bytes: [UInt8]) -> Range<Int>? {
        guard count >= bytes.count else { return nil }
        let start = (startIndex...(endIndex - bytes.count)).first { self[$0...].starts(with: bytes) }
        return start.map { $0..<$0 + bytes.count }
    }
}

extension String {
    /// This text with every line break written as CRLF, as the WHATWG's HTML standard says of names.
    fileprivate var replacingLineBreaks: String {
        var bytes: [UInt8] = []
        var last: UInt8 = 0
        for byte in utf8 {
            if byte == 10, last != 13 { bytes.append(13) }
            if last == 13, byte != 10 { bytes.append(10) }
            bytes.append(byte)
            last = byte
        }
        if last == 13 { bytes.append(10) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

private func escaped(_ text: String) -> String {
    let bytes = text.utf8.flatMap { byte -> [UInt8] in
        switch byte {
        case 34: Array("%22".utf8)
        case 13: Array("%0D".utf8)
        case 10: Array("%0A".utf8)
        default: [byte]
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}
