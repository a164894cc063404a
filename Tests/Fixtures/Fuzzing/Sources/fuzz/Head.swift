import Foundation

@testable import StreamsHTTP

/// A head that the parser accepts is the same whatever came before it, whatever ends its lines, and after it has been
/// printed. Its version is one of HTTP/1, its status one of 200 to 599, and its names are tokens. Its values have no line
/// breaks and no NUL (RFC 9110, section 5.5).
func fuzzHead(_ input: inout Input) {
    // Carriage returns at the end of a line would count as part of one line break and not of the other.
    let lines = input.remainder().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        .map { line in
            let end = line.lastIndex { $0 != UInt8(ascii: "\r") }.map { $0 + 1 }
            return line[..<(end ?? line.startIndex)]
        }
    let usual = outcomes(of: lines)
    expectEqual(usual, outcomes(of: lines, lineBreak: "\n"), "the result depends on the line breaks")
    expectEqual(usual, outcomes(of: [[]] + lines), "the result depends on an empty line before it")
    for case .head(let head) in usual {
        expect([.http10, .http11].contains(head.version), "the version \(head.version)")
        expect((200...599).contains(head.status), "the status \(head.status)")
        expectEqual(outcomes(of: head.printed), [.head(head)], "a printed head is another")
        // The heads of one exchange share the limit on fields.
        if head.fields.count <= RequestOptions.HeadLimits().maxFieldCount / 2 {
            expectEqual(
                outcomes(of: head.printed + head.printed), [.head(head), .head(head)],
                "a second head is another")
        }
        for field in head.fields {
            expect(isToken(field.name), "a name that is no token: \(field)")
            expect(!field.bytes.contains { $0 == 0 || $0 == 10 || $0 == 13 }, "a control character: \(field)")
        }
        // A length may be repeated, also within a field (RFC 9112, section 6.3).
        let lengths = head.fields.filter { $0.name.lowercased() == "content-length" }
            .flatMap { FieldText(bytes: $0.bytes).string.split(separator: ",", omittingEmptySubsequences: false) }
            .map { Int64($0.trimmingCharacters(in: .whitespaces)) }
        expect(Set(lengths).count < 2 && !lengths.contains(nil), "two lengths: \(lengths)")
    }
}

private enum Outcome: Equatable {
    case head(Head)
    case failure(String)
}

private struct Head: Equatable {
    let status: Int
    let version: HTTPVersion
    let fields: [Field]

    struct Field: Equatable {
        let name: String
        let bytes: [UInt8]
    }

    var printed: [ArraySlice<UInt8>] {
        let first = "HTTP/1.\(version.minor) \(status) Reason"
        return [Array(first.utf8)[...]] + fields.map { ("\($0.name): ".utf8 + $0.bytes)[...] } + [[]]
    }
}

/// Whether a text is a token (RFC 9110, section 5.6.2), by the list of what none may have.
func isToken(_ text: String) -> Bool {
    let delimiters = "\"(),/:;<=>?@[\\]{} \u{7F}"
    return !text.isEmpty && text.utf8.allSatisfy { $0 < 0x80 && $0 > 0x20 && !delimiters.utf8.contains($0) }
}

private func outcomes(of lines: [ArraySlice<UInt8>], lineBreak: String = "\r\n") -> [Outcome] {
    let url = LazyURL("http://localhost/")
    var parser = HeadParser(RequestOptions.HeadLimits())
    var outcomes: [Outcome] = []
    for line in lines {
        let bytes = line + Array(lineBreak.utf8)
        do {
            guard let head = try bytes.withUnsafeBytes({ try parser.consume($0, url: url) }) else { continue }
            let fields = head.headers.map { Head.Field(name: $0.name, bytes: $0.bytes) }
            outcomes.append(.head(Head(status: head.status.code, version: head.version, fields: fields)))
        } catch {
            return outcomes + [.failure("\(error)")]
        }
    }
    return outcomes
}
