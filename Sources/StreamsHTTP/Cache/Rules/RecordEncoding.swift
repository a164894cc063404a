/// Writes the encoding of a record. Numbers are big-endian, and each text is preceded by the number of its bytes.
struct RecordWriter {
    private var data = Data()

    static func encode(_ record: CacheRecord) -> Data {
        var writer = RecordWriter()
        writer.data.append(contentsOf: RecordReader.signature)
        switch record {
        case .response(let response):
            writer.append(UInt8(0))
            writer.append(response)
        case .variants(let generation, let fields):
            writer.append(UInt8(1))
            writer.append(generation)
            writer.append(UInt32(clamping: fields.count))
            for name in fields { writer.append(name.utf8) }
        }
        return writer.data
    }

    private mutating func append(_ response: StoredResponse) {
        append(UInt16(clamping: response.status.code))
        append(UInt8(clamping: response.version.major))
        append(UInt8(clamping: response.version.minor))
        append(response.reasonText.bytes)
        append(response.requestTime)
        append(response.responseTime)
        append(UInt64(clamping: response.bodyLength))
        append(Self.flags(of: response))
        if let identity = response.identity { data.append(contentsOf: identity.digest) }
        append(UInt32(clamping: response.selectingFields.count))
        for field in response.selectingFields {
            append(field.name.utf8)
            append(UInt8(field.value == nil ? 0 : 1))
            if let value = field.value { append(value.bytes) }
        }
        append(UInt32(clamping: response.headers.count))
        for field in response.headers {
            append(field.name.utf8)
            append(field.text.bytes)
        }
    }

    private static func flags(of response: StoredResponse) -> UInt8 {
        var flags: RecordFlags = []
        if response.isComplete { flags.insert(.isComplete) }
        if response.hasQuery { flags.insert(.hasQuery) }
        if response.isDecoded { flags.insert(.isDecoded) }
        if response.identity != nil { flags.insert(.hasIdentity) }
        return flags.rawValue
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { data.append(contentsOf: $0) }
    }

    private mutating func append(_ date: Date) {
        append(Int64(date.timeIntervalSince1970.clampedMilliseconds))
    }

    private mutating func append(_ text: some Collection<UInt8>) {
        append(UInt32(clamping: text.count))
        data.append(contentsOf: text)
    }
}

/// Reads the encoding of a record. Memory is allocated only for texts whose bytes are there.
struct RecordReader {
    /// The bytes at the beginning of each record: two letters and the version of the format.
    static let signature = Array("SC".utf8) + [CacheKey.formatVersion]

    private var rest: Data.SubSequence

    static func decode(_ data: Data) -> CacheRecord? {
        var reader = RecordReader(rest: data[...])
        guard reader.bytes(Self.signature.count)?.elementsEqual(Self.signature) == true,
            let record = reader.record(), reader.rest.isEmpty
        else { return nil }
        return record
    }

    private mutating func record() -> CacheRecord? {
        switch number(UInt8.self) {
        case 0: return response().map { .response($0) }
        case 1:
            guard let generation = number(UInt64.self), let fields = list({ $0.string() }),
                fields.count <= SelectingField.maxCount
            else { return nil }
            return .variants(generation: generation, fields: fields)
        default: return nil
        }
    }

    private mutating func response() -> StoredResponse? {
        guard let code = number(UInt16.self), let major = number(UInt8.self), let minor = number(UInt8.self),
            let reason = text(), let requestTime = date(), let responseTime = date(), let bodyLength = length(),
            let rawFlags = number(UInt8.self)
        else { return nil }
        let (status, flags) = (HTTPStatus(Int(code)), RecordFlags(rawValue: rawFlags))
        guard status.isValid, !status.isInformational, flags.isSubset(of: .all) else { return nil }
        var identity: CacheIdentity?
        if flags.contains(.hasIdentity) {
            identity = bytes(CacheIdentity.digestSize).flatMap { CacheIdentity(digest: $0) }
            guard identity != nil else { return nil }
        }
        guard let selectingFields = list({ $0.selectingField() }), selectingFields.count <= SelectingField.maxCount,
            let fields = list({ $0.field() })
        else { return nil }
        return StoredResponse(
            status: status, headers: HTTPHeaders(fields), version: HTTPVersion(major: Int(major), minor: Int(minor)),
            reasonText: reason, requestTime: requestTime, responseTime: responseTime, selectingFields: selectingFields,
            identity: identity, hasQuery: flags.contains(.hasQuery), isDecoded: flags.contains(.isDecoded),
            bodyLength: bodyLength, isComplete: flags.contains(.isComplete))
    }

    private mutating func selectingField() -> SelectingField? {
        guard let name = string(), let hasValue = number(UInt8.self), hasValue <= 1 else { return nil }
        guard hasValue == 1 else { return SelectingField(name: name, value: nil) }
        return text().map { SelectingField(name: name, value: $0) }
    }

    private mutating func field() -> HTTPHeaders.Field? {
        guard let name = string(), name.isToken, let text = text(), text.string.isFieldValue else { return nil }
        return HTTPHeaders.Field(name: name, text: text)
    }

    private mutating func list<Element>(_ element: (inout RecordReader) -> Element?) -> [Element]? {
        guard let count = number(UInt32.self) else { return nil }
        // Not reserved: the number may be larger than all that follows.
        var elements: [Element] = []
        for _ in 0..<count {
            guard let element = element(&self) else { return nil }
            elements.append(element)
        }
        return elements
    }

    private mutating func string() -> String? {
        text().flatMap { $0.isLatin1 ? nil : $0.string }
    }

    private mutating func text() -> FieldText? {
        number(UInt32.self).flatMap { bytes(Int($0)) }.map { FieldText(bytes: $0) }
    }

    private mutating func length() -> Int64? {
        number(UInt64.self).flatMap { Int64(exactly: $0) }
    }

    private mutating func date() -> Date? {
        guard let milliseconds = number(Int64.self) else { return nil }
        let seconds = Double(milliseconds) / 1000
        return seconds.clampedMilliseconds == milliseconds ? Date(timeIntervalSince1970: seconds) : nil
    }

    private mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        bytes(Number.bitWidth / 8)?.reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    private mutating func bytes(_ count: Int) -> Data.SubSequence? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}

/// The Boolean properties of an encoded response.
private struct RecordFlags: OptionSet {
    let rawValue: UInt8

    static let isComplete = RecordFlags(rawValue: 1)
    static let hasQuery = RecordFlags(rawValue: 2)
    static let isDecoded = RecordFlags(rawValue: 4)
    static let hasIdentity = RecordFlags(rawValue: 8)
    static let all: RecordFlags = [.isComplete, .hasQuery, .isDecoded, .hasIdentity]
}

extension Double {
    /// These seconds in milliseconds, within ten thousand years.
    fileprivate var clampedMilliseconds: Int64 {
        let limit = 10_000.0 * 366 * 86_400
        return Int64((Swift.max(-limit, Swift.min(limit, self)) * 1000).rounded())
    }
}
