import Foundation

@testable import StreamsHTTP

/// A head that the parser accepts is the same whatever came before it, whatever ends its lines, and after it has been
/// printed. Its values have no line breaks and no NUL (RFC 9110, section 5.5).
func fuzzHead(_ input: inout Input) {
    // Carriage returns at the end of a line would count as part of one line break and not of the other.
    let lines = input.remainder().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        .map { line in
            let end = line.lastIndex { $0 != UInt8(ascii: "\r") }.map { $0 + 1 }
            return line[..<(end ?? line.startIndex)]
        }
    let usual = heads(of: lines, lineBreak: "\r\n")
    expectEqual(usual, heads(of: lines, lineBreak: "\n"), "the result depends on the line breaks")
    expectEqual(usual, heads(of: [[]] + lines, lineBreak: "\r\n"), "the result depends on an empty line before it")
    for case .head(let head) in usual {
        expectEqual(heads(of: head.printed, lineBreak: "\r\n"), [.head(head)], "a printed head is another")
        // The heads of one exchange share the limit on fields.
        if head.fields.count <= RequestOptions.HeadLimits().maxFieldCount / 2 {
            expectEqual(
                heads(of: head.printed + head.printed, lineBreak: "\r\n"), [.head(head), .head(head)],
                "a second head is another")
        }
        for field in head.fields {
            expect(
                !field.value.utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 }, "a control character: \(field)")
        }
        // A length may be repeated, also within a field (RFC 9112, section 6.3).
        let lengths = head.fields.filter { $0.name.lowercased() == "content-length" }
            .flatMap { $0.value.split(separator: ",", omittingEmptySubsequences: false) }
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
        let value: String
    }

    var printed: [ArraySlice<UInt8>] {
        let first = "HTTP/\(version.major).\(version.minor) \(String("00\(status)".suffix(3))) Reason"
        let lines = [first] + fields.map { "\($0.name): \($0.value)" } + [""]
        return lines.map { Array($0.utf8)[...] }
    }
}

private func heads(of lines: [ArraySlice<UInt8>], lineBreak: String) -> [Outcome] {
    let url = LazyURL("http://localhost/")
    var parser = HeadParser(RequestOptions.HeadLimits())
    var outcomes: [Outcome] = []
    for line in lines {
        let bytes = line + Array(lineBreak.utf8)
        do {
            guard let head = try bytes.withUnsafeBytes({ try parser.consume($0, url: url) }) else { continue }
            let fields = head.headers.map { Head.Field(name: $0.name, value: $0.value) }
            outcomes.append(.head(Head(status: head.status.code, version: head.version, fields: fields)))
        } catch {
            return outcomes + [.failure("\(error)")]
        }
    }
    return outcomes
}
