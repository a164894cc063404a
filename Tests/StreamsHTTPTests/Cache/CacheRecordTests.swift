import Foundation
import Testing

@testable import StreamsHTTP

@Suite struct CacheRecordTests {
    private static let response: StoredResponse = {
        var headers: HTTPHeaders = ["ETag": "\"1\"", "X-A": "", "Cache-Control": "max-age=60"]
        headers.add("X-A", "grüß")
        headers.add(HTTPHeaders.Field(name: "x-latin", bytes: [0xE9, 0x20, 0x41]))
        return StoredResponse(
            status: 404, headers: headers, version: .http2, reasonText: "Not Found",
            requestTime: Date(timeIntervalSince1970: 1_750_000_000.25),
            responseTime: Date(timeIntervalSince1970: 1_750_000_001.5),
            selectingFields: [
                SelectingField(name: "accept", value: "*/*"), SelectingField(name: "x-b", value: nil),
                SelectingField(name: "x-c", value: ""),
            ], identity: CacheIdentity(digest: Array(1...32)), hasQuery: true, isDecoded: true,
            bodyLength: 1 << 40, isComplete: true)
    }()

    private static let records: [CacheRecord] = [
        .response(response),
        .response(
            StoredResponse(
                status: .ok, headers: [:], version: .http11, reasonText: "",
                requestTime: Date(timeIntervalSince1970: 0),
                responseTime: Date(timeIntervalSince1970: 0), selectingFields: [], identity: nil, hasQuery: false,
                isDecoded: false)),
        .variants(generation: .max, fields: ["accept", "x-b"]), .variants(generation: 0, fields: []),
    ]

    @Test(arguments: records.indices) func isTheSameAfterItsEncoding(index: Int) {
        let record = Self.records[index]
        let data = record.encoded()
        #expect(CacheRecord(decoding: data) == record)
        // A slice has other indices.
        #expect(CacheRecord(decoding: (Data([1, 2, 3]) + data).dropFirst(3)) == record)
    }

    @Test func bytesOfFieldsAreKept() throws {
        let decoded = try #require(CacheRecord(decoding: CacheRecord.response(Self.response).encoded())?.response)
        #expect(decoded.headers[bytes: "X-Latin"] == [0xE9, 0x20, 0x41])
        #expect(decoded.headers.values(for: "x-a") == ["", "grüß"])
        #expect(decoded.reasonText == "Not Found")
    }

    @Test(arguments: records.indices) func truncatedAndLongerRecordsAreRejected(index: Int) {
        let data = Self.records[index].encoded()
        for count in 0..<data.count { #expect(CacheRecord(decoding: data.prefix(count)) == nil) }
        #expect(CacheRecord(decoding: data + [0]) == nil)
    }

    @Test func otherFormatsAreRejected() {
        var data = Self.records[3].encoded()
        data[data.startIndex + 2] = CacheKey.formatVersion + 1
        #expect(CacheRecord(decoding: data) == nil)
        #expect(CacheRecord(decoding: Data("SC".utf8) + [CacheKey.formatVersion, 2]) == nil)
        // A number of fields without fields, and one that is too large.
        let start = Data("SC".utf8) + [CacheKey.formatVersion, 1] + Data(count: 8)
        #expect(CacheRecord(decoding: start + [0xFF, 0xFF, 0xFF, 0xFF]) == nil)
        #expect(CacheRecord(decoding: start + [0, 0, 0, 17] + Data(count: 17 * 4)) == nil)
        #expect(CacheRecord(decoding: start + [0, 0, 0, 16] + Data(count: 16 * 4)) != nil)
    }

    /// No byte that differs lets the decoder trap; a record that it accepts is the same after its encoding.
    @Test func damagedRecordsNeverTrap() {
        var generator = SystemRandomNumberGenerator()
        for record in Self.records {
            let data = record.encoded()
            for place in data.indices {
                for value in [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &generator)] {
                    var damaged = data
                    damaged[place] = value
                    guard let decoded = CacheRecord(decoding: damaged) else { continue }
                    #expect(CacheRecord(decoding: decoded.encoded()) == decoded)
                }
            }
        }
        for _ in 0..<2000 {
            let noise = (0..<Int.random(in: 0...200)).map { _ in UInt8.random(in: 0...255) }
            #expect(CacheRecord(decoding: RecordReader.signature + Data(noise)) == nil)
        }
    }

    @Test func datesOutOfRangeAreClamped() throws {
        var response = Self.response
        response.responseTime = .distantFuture.addingTimeInterval(1e18)
        response.requestTime = .distantPast.addingTimeInterval(-1e18)
        let decoded = try #require(CacheRecord(decoding: CacheRecord.response(response).encoded())?.response)
        #expect(decoded.responseTime > .distantFuture && decoded.requestTime < .distantPast)
        #expect(!decoded.isFresh(at: Date()))
    }
}

extension Data {
    fileprivate static func + (left: [UInt8], right: Data) -> Data { Data(left) + right }
}
