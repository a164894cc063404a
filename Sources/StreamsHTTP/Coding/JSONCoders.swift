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
