import StreamsHTTP

/// A URL of the command line, which stands for several if it has patterns, as with curl: `{a,b}` is each of the texts,
/// `[a-c]` each letter, and `[001-100:10]` every tenth number, with as many digits as the first.
///
/// The URLs are made when they are asked for, so a pattern may stand for any number of them. The last pattern changes
/// first.
struct URLPattern {
    private enum Part {
        case text(String)
        case choices([String])
        case letters(first: UInt8, step: Int, count: Int)
        case numbers(first: Int, step: Int, count: Int, width: Int)

        var count: Int {
            switch self {
            case .text: 1
            case .choices(let texts): texts.count
            case .letters(_, _, let count), .numbers(_, _, let count, _): count
            }
        }

        func text(at index: Int) -> String {
            switch self {
            case .text(let text):
                return text
            case .choices(let texts):
                return texts[index]
            case .letters(let first, let step, _):
                return String(Unicode.Scalar(first + UInt8(index * step)))
            case .numbers(let first, let step, _, let width):
                let digits = String(first + index * step)
                return String(repeating: "0", count: Swift.max(width - digits.utf8.count, 0)) + digits
            }
        }
    }

    private let parts: [Part]
    /// The scheme of those URLs that have none; `nil` to leave them without.
    private let scheme: DefaultScheme?
    /// The number of URLs.
    let count: Int

    /// Creates a URL whose braces and brackets are its own.
    init(literal text: String, scheme: DefaultScheme? = nil) {
        parts = [.text(text)]
        self.scheme = scheme
        count = 1
    }

    /// Reads a URL with patterns. Braces and brackets after a backslash are the URL's own, and so are those of an
    /// address, as in `[::1]`, and brackets around nothing.
    init(_ text: String, scheme: DefaultScheme? = nil) throws(UsageError) {
        self.scheme = scheme
        var reader = Reader(text)
        parts = try reader.readParts()
        var count = 1
        for part in parts {
            let (product, overflows) = count.multipliedReportingOverflow(by: part.count)
            guard !overflows else { throw Reader.error("a URL stands for too many") }
            count = product
        }
        self.count = count
    }

    /// Whether the URL has patterns, even if they stand for one text only.
    var hasPatterns: Bool {
        parts.contains { if case .text = $0 { false } else { true } }
    }
}

extension URLPattern: RandomAccessCollection {
    /// One of the URLs.
    struct Element {
        /// The URL, with its scheme.
        let url: String
        /// The texts of the patterns.
        fileprivate let values: [String]

        /// Returns a path with the text of the first pattern in place of `#1`, and so on. The number of a pattern that
        /// there is not stays, as with curl.
        func filling(_ path: String) -> String {
            guard !values.isEmpty else { return path }
            let pieces = path.split(separator: "#", omittingEmptySubsequences: false)
            return pieces.dropFirst().reduce(into: String(pieces[0])) { text, piece in
                let digits = piece.utf8.prefix(while: \.isDigit)
                if let number = Int(Substring(digits)), values.indices.contains(number - 1) {
                    text += values[number - 1] + piece[digits.endIndex...]
                } else {
                    text += "#" + piece
                }
            }
        }
    }

    var startIndex: Int { 0 }
    var endIndex: Int { count }

    subscript(position: Int) -> Element {
        var rest = position
        var texts: [String] = []
        var values: [String] = []
        for part in parts.reversed() {
            let text = part.text(at: rest % part.count)
            rest /= part.count
            texts.append(text)
            if case .text = part { continue }
            values.append(text)
        }
        let url = texts.reversed().joined()
        // Added to each, since a pattern may stand for the scheme, too.
        return Element(url: scheme.map(url.adding) ?? url, values: values.reversed())
    }
}

// MARK: Reading

extension URLPattern {
    /// Reads the parts of a URL.
    private struct Reader {
        private static let open = (brace: UInt8(ascii: "{"), bracket: UInt8(ascii: "["))
        private static let close = (brace: UInt8(ascii: "}"), bracket: UInt8(ascii: "]"))

        private var rest: Substring.UTF8View

        init(_ text: String) {
            rest = text[...].utf8
        }

        mutating func readParts() throws(UsageError) -> [Part] {
            var parts: [Part] = []
            var text: [UInt8] = []
            while let byte = rest.first {
                if byte == Self.open.bracket, let literal = bracketsOfURL {
                    text += literal
                    rest = rest[literal.endIndex...]
                } else if byte == Self.open.brace || byte == Self.open.bracket {
                    if !text.isEmpty { parts.append(.text(String(decoding: text, as: UTF8.self))) }
                    text = []
                    rest.removeFirst()
                    parts.append(try byte == Self.open.brace ? readChoices() : readRange())
                } else if byte == Self.close.brace || byte == Self.close.bracket {
                    throw Self.error("\(Self.quoted(byte)) in a URL closes nothing")
                } else {
                    text.append(popEscaped(of: Self.isBraceOrBracket))
                }
            }
            if !text.isEmpty || parts.isEmpty { parts.append(.text(String(decoding: text, as: UTF8.self))) }
            return parts
        }

        /// The brackets at the start that belong to the URL, with what is in them; `nil` if they are a range.
        private var bracketsOfURL: Substring.UTF8View? {
            guard let end = rest.firstIndex(of: Self.close.bracket) else { return nil }
            let content = rest[rest.index(after: rest.startIndex)..<end]
            var address = in6_addr()
            let host = String(Substring(content.prefix { $0 != UInt8(ascii: "%") }))
            guard content.isEmpty || inet_pton(AF_INET6, host, &address) == 1 else { return nil }
            return rest[...end]
        }

        /// Removes and returns the next byte, or the one behind a backslash.
        ///
        /// - Parameter isEscapable: Whether a backslash before a byte belongs to it.
        private mutating func popEscaped(of isEscapable: (UInt8) -> Bool) -> UInt8 {
            let byte = rest.removeFirst()
            guard byte == UInt8(ascii: "\\"), let next = rest.first, isEscapable(next) else { return byte }
            rest.removeFirst()
            return next
        }

        private mutating func readChoices() throws(UsageError) -> Part {
            var texts: [String] = []
            var text: [UInt8] = []
            while let byte = rest.first {
                switch byte {
                case UInt8(ascii: ","), Self.close.brace:
                    rest.removeFirst()
                    texts.append(String(decoding: text, as: UTF8.self))
                    text = []
                    guard byte == Self.close.brace else { continue }
                    guard texts != [""] else { throw Self.error("'{}' in a URL is empty") }
                    return .choices(texts)
                case Self.open.brace, Self.open.bracket, Self.close.bracket:
                    throw Self.error("\(Self.quoted(byte)) in a URL stands between braces")
                default:
                    text.append(popEscaped { _ in true })
                }
            }
            throw Self.error("'{' in a URL is not closed")
        }

        private mutating func readRange() throws(UsageError) -> Part {
            guard let end = rest.firstIndex(of: Self.close.bracket) else {
                throw Self.error("'[' in a URL is not closed")
            }
            let content = Substring(rest[..<end])
            rest = rest[rest.index(after: end)...]
            guard let part = Self.letters(content) ?? Self.numbers(content) else {
                throw Self.error("\("[\(content)]".quoted) in a URL is no range of numbers or letters")
            }
            return part
        }

        private static func letters(_ content: Substring) -> Part? {
            guard let (first, last, step) = bounds(content), first.utf8.count == 1, last.utf8.count == 1,
                let first = first.utf8.first, let last = last.utf8.first
            else {
                return nil
            }
            let alphabets = [UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z")]
            guard alphabets.contains(where: { $0.contains(first) && $0.contains(last) }),
                let count = count(from: Int(first), to: Int(last), step: step)
            else {
                return nil
            }
            return .letters(first: first, step: step, count: count)
        }

        private static func numbers(_ content: Substring) -> Part? {
            guard let (first, last, step) = bounds(content), let start = number(first), let end = number(last),
                let count = count(from: start, to: end, step: step)
            else {
                return nil
            }
            return .numbers(first: start, step: step, count: count, width: first.hasPrefix("0") ? first.utf8.count : 0)
        }

        /// Returns the bounds of `FIRST-LAST` or `FIRST-LAST:STEP`.
        private static func bounds(_ content: Substring) -> (first: Substring, last: Substring, step: Int)? {
            let parts = content.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let ends = parts[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            guard ends.count == 2 else { return nil }
            guard parts.count == 2 else { return (ends[0], ends[1], 1) }
            return number(parts[1]).map { (ends[0], ends[1], $0) }
        }

        private static func number(_ text: Substring) -> Int? {
            text.utf8.allSatisfy(\.isDigit) ? Int(text) : nil
        }

        /// Returns the number of steps; `nil` for a range that goes down, or has a step that leads out of it.
        private static func count(from first: Int, to last: Int, step: Int) -> Int? {
            guard step > 0, first <= last, first == last ? step == 1 : step <= last - first else { return nil }
            let steps = (last - first) / step
            return steps < Int.max ? steps + 1 : nil
        }

        private static func isBraceOrBracket(_ byte: UInt8) -> Bool {
            [open.brace, open.bracket, close.brace, close.bracket].contains(byte)
        }

        private static func quoted(_ byte: UInt8) -> String {
            String(Unicode.Scalar(byte)).quoted
        }

        /// Creates an error of curl's exit status.
        static func error(_ text: String) -> UsageError {
            UsageError("\(text); -g takes braces and brackets as they are", status: .malformedURL)
        }
    }
}
