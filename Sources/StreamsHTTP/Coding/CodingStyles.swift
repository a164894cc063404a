/// How dates are written and read, the same in every format.
public enum DateCoding: Sendable {
    /// As `Date` does it: seconds since 1 January 2001.
    case deferredToDate
    /// Seconds since 1 January 1970.
    case secondsSince1970
    /// Milliseconds since 1 January 1970.
    case millisecondsSince1970
    /// Internet time (RFC 3339), written in UTC to the second, and read with or without a fraction of it.
    case iso8601
    /// A text of one's own.
    case custom(encode: @Sendable (Date) throws -> String, decode: @Sendable (String) throws -> Date)
}

/// How the names of properties are written and read, the same in every format. The keys of a `[String: Value]` are
/// content, and stay as they are.
public enum KeyCoding: Hashable, Sendable {
    /// As they are.
    case useDefaultKeys
    /// `userName` as `user_name`.
    case snakeCase
}

extension DateCoding {
    /// A date as a text; `nil` where it is left to `Date`.
    func text(for date: Date) throws -> String? {
        switch self {
        case .deferredToDate: nil
        case .secondsSince1970: date.timeIntervalSince1970.shortest
        case .millisecondsSince1970: (date.timeIntervalSince1970 * 1000).shortest
        case .iso8601: date.ISO8601Format()
        case .custom(let encode, _): try encode(date)
        }
    }

    /// The date of an internet time, with or without a fraction of a second.
    static func date(iso8601 text: String) throws -> Date {
        let style = Date.ISO8601FormatStyle()
        guard let date = try? style.parse(text) else {
            return try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text)
        }
        return date
    }
}

extension Double {
    /// This number as JSON has it: without a fraction where there is none.
    fileprivate var shortest: String {
        Int64(exactly: self).map { "\($0)" } ?? "\(self)"
    }
}

extension KeyCoding {
    /// A property's name as it is written.
    func encoded(_ name: String) -> String {
        switch self {
        case .useDefaultKeys: name
        case .snakeCase: name.snakeCased
        }
    }
}

extension String {
    /// This name with an underscore before every word but the first, as `JSONEncoder` converts it: `myURLPath` is
    /// `my_url_path`.
    fileprivate var snakeCased: String {
        let characters = Array(self)
        var starts: Set<Int> = []
        // Capitals that follow each other are one word, but for the last where a small letter follows it.
        var capitals: Int?
        for (place, character) in characters.enumerated().dropFirst() {
            if let first = capitals, character.isLowercase {
                if first < place - 1 { starts.insert(place - 1) }
                capitals = nil
            } else if capitals == nil, character.isUppercase {
                starts.insert(place)
                capitals = place
            }
        }
        return characters.enumerated().reduce(into: "") { converted, next in
            if starts.contains(next.offset) { converted += "_" }
            converted += next.element.lowercased()
        }
    }
}
