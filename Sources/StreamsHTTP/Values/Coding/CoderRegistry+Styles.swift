extension CoderRegistry {
    /// The format of dates, the same in every encoding.
    public enum DateCoding: Sendable {
        /// The format of `Date` itself: seconds since 1 January 2001.
        case deferredToDate
        /// Seconds since 1 January 1970.
        case secondsSince1970
        /// Milliseconds since 1 January 1970.
        case millisecondsSince1970
        /// The format of RFC 3339. It is encoded in UTC with whole seconds, and decoded with or without fractional
        /// seconds.
        case iso8601
        /// A custom string.
        case custom(encode: @Sendable (Date) throws -> String, decode: @Sendable (String) throws -> Date)
    }

    /// The conversion of property names, the same in every encoding. The keys of a `[String: Value]` are never
    /// converted.
    public enum KeyCoding: Hashable, Sendable {
        /// No conversion.
        case useDefaultKeys
        /// Snake case: `userName` becomes `user_name`.
        case snakeCase
    }
}

extension CoderRegistry.DateCoding {
    /// Returns the string for a date; `nil` if `Date` encodes itself.
    func text(for date: Date) throws -> String? {
        switch self {
        case .deferredToDate: nil
        case .secondsSince1970: date.timeIntervalSince1970.shortest
        case .millisecondsSince1970: (date.timeIntervalSince1970 * 1000).shortest
        case .iso8601: date.ISO8601Format()
        case .custom(let encode, _): try encode(date)
        }
    }

    /// Returns the date of an RFC 3339 string, with or without fractional seconds.
    static func date(iso8601 text: String) throws -> Date {
        let style = Date.ISO8601FormatStyle()
        guard let date = try? style.parse(text) else {
            return try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text)
        }
        return date
    }
}

extension Double {
    /// The number as in JSON, without a fraction if it is whole.
    fileprivate var shortest: String {
        Int64(exactly: self).map { "\($0)" } ?? "\(self)"
    }
}

extension CoderRegistry.KeyCoding {
    /// Returns the encoded name of a property.
    func encoded(_ name: String) -> String {
        switch self {
        case .useDefaultKeys: name
        case .snakeCase: name.snakeCased
        }
    }
}

extension String {
    /// The name in snake case, as `JSONEncoder` converts it: `myURLPath` becomes `my_url_path`.
    fileprivate var snakeCased: String {
        let characters = Array(self)
        var starts: Set<Int> = []
        // Consecutive capitals are one word, except for the last one if a lowercase letter follows.
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

extension JSONEncoder {
    convenience init(keys: CoderRegistry.KeyCoding, dates: CoderRegistry.DateCoding) {
        self.init()
        switch dates {
        case .deferredToDate: dateEncodingStrategy = .deferredToDate
        case .secondsSince1970: dateEncodingStrategy = .secondsSince1970
        case .millisecondsSince1970: dateEncodingStrategy = .millisecondsSince1970
        case .iso8601: dateEncodingStrategy = .iso8601
        case .custom(let encode, _):
            dateEncodingStrategy = .custom { date, encoder in
                var container = encoder.singleValueContainer()
                try container.encode(encode(date))
            }
        }
        switch keys {
        case .useDefaultKeys: keyEncodingStrategy = .useDefaultKeys
        case .snakeCase: keyEncodingStrategy = .convertToSnakeCase
        }
    }
}

extension JSONDecoder {
    convenience init(keys: CoderRegistry.KeyCoding, dates: CoderRegistry.DateCoding) {
        self.init()
        switch dates {
        case .deferredToDate: dateDecodingStrategy = .deferredToDate
        case .secondsSince1970: dateDecodingStrategy = .secondsSince1970
        case .millisecondsSince1970: dateDecodingStrategy = .millisecondsSince1970
        case .iso8601: dateDecodingStrategy = .text(CoderRegistry.DateCoding.date(iso8601:))
        case .custom(_, let decode): dateDecodingStrategy = .text(decode)
        }
        switch keys {
        case .useDefaultKeys: keyDecodingStrategy = .useDefaultKeys
        case .snakeCase: keyDecodingStrategy = .convertFromSnakeCase
        }
    }
}

extension JSONDecoder.DateDecodingStrategy {
    /// Returns a strategy for dates that are strings.
    fileprivate static func text(_ decode: @escaping @Sendable (String) throws -> Date) -> Self {
        .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            do {
                return try decode(text)
            } catch {
                throw DecodingError.dataCorrupted(
                    .init(
                        codingPath: decoder.codingPath, debugDescription: "\(text.debugDescription) is no date",
                        underlyingError: error))
            }
        }
    }
}
