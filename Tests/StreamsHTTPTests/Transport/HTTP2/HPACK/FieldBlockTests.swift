import Foundation
import Testing

@testable import StreamsHTTP
@testable import StreamsHTTPTesting

/// Field blocks and the tables behind them, by the examples of RFC 7541, and against each other.
struct FieldBlockTests {
    typealias Field = HTTPHeaders.Field

    private static let request: [[Field]] = [
        [
            Field(name: ":method", value: "GET"), Field(name: ":scheme", value: "http"),
            Field(name: ":path", value: "/"),
            Field(name: ":authority", value: "www.example.com"),
        ],
        [
            Field(name: ":method", value: "GET"), Field(name: ":scheme", value: "http"),
            Field(name: ":path", value: "/"),
            Field(name: ":authority", value: "www.example.com"), Field(name: "cache-control", value: "no-cache"),
        ],
        [
            Field(name: ":method", value: "GET"), Field(name: ":scheme", value: "https"),
            Field(name: ":path", value: "/index.html"), Field(name: ":authority", value: "www.example.com"),
            Field(name: "custom-key", value: "custom-value"),
        ],
    ]
    private static let response: [[Field]] = [
        [
            Field(name: ":status", value: "302"), Field(name: "cache-control", value: "private"),
            Field(name: "date", value: "Mon, 21 Oct 2013 20:13:21 GMT"),
            Field(name: "location", value: "https://www.example.com"),
        ],
        [
            Field(name: ":status", value: "307"), Field(name: "cache-control", value: "private"),
            Field(name: "date", value: "Mon, 21 Oct 2013 20:13:21 GMT"),
            Field(name: "location", value: "https://www.example.com"),
        ],
        [
            Field(name: ":status", value: "200"), Field(name: "cache-control", value: "private"),
            Field(name: "date", value: "Mon, 21 Oct 2013 20:13:22 GMT"),
            Field(name: "location", value: "https://www.example.com"), Field(name: "content-encoding", value: "gzip"),
            Field(name: "set-cookie", value: "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"),
        ],
    ]

    /// Appendix C.3, C.4, C.5 and C.6: requests and responses, without and with the Huffman code.
    private static let examples: [(maxTableSize: Int, fields: [[Field]], blocks: [String])] = [
        (
            4096, request,
            [
                "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d", "8286 84be 5808 6e6f 2d63 6163 6865",
                "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
            ]
        ),
        (
            4096, request,
            [
                "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff", "8286 84be 5886 a8eb 1064 9cbf",
                "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
            ]
        ),
        (
            256, response,
            [
                """
                4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32
                3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d
                """, "4803 3330 37c1 c0bf",
                """
                88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970
                7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61
                6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31
                """,
            ]
        ),
        (
            256, response,
            [
                """
                4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad
                1718 63c7 8f0b 97c8 e9ae 82ae 43d3
                """, "4883 640e ffc1 c0bf",
                """
                88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2
                e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07
                """,
            ]
        ),
    ]

    private static func decode(
        _ bytes: [UInt8], _ decoder: inout FieldBlockDecoder, limits: RequestOptions.HeadLimits = .init()
    ) throws -> [Field]? {
        try bytes.withUnsafeBytes { try decoder.decode($0, limits: limits) }
    }

    @Test(arguments: 0..<4) func decodesTheExamples(index: Int) throws {
        let example = Self.examples[index]
        var decoder = FieldBlockDecoder(maxTableSize: example.maxTableSize)
        for (fields, block) in zip(example.fields, example.blocks) {
            #expect(try Self.decode([UInt8](hex: block), &decoder) == fields)
        }
    }

    @Test func encodesTheExamples() {
        var encoder = FieldBlockEncoder()
        for (fields, block) in zip(Self.request, Self.examples[1].blocks) {
            var output: [UInt8] = []
            encoder.begin(&output)
            for field in fields { encoder.append(field, .added, to: &output) }
            #expect(output == [UInt8](hex: block))
        }
    }

    @Test func neverSendsASecretByItsIndex() throws {
        let secret = Field(name: "authorization", value: "Basic c2VjcmV0")
        var encoder = FieldBlockEncoder()
        var decoder = FieldBlockDecoder()
        var blocks: [[UInt8]] = []
        for _ in 1...2 {
            var output: [UInt8] = []
            encoder.append(secret, .never, to: &output)
            #expect(output.first.map { $0 & 0xF0 } == 0x10)
            #expect(try Self.decode(output, &decoder) == [secret])
            blocks.append(output)
        }
        #expect(blocks[0] == blocks[1])
        // A value that another request has added is not sent by its index, either.
        var output: [UInt8] = []
        encoder.append(secret, .added, to: &output)
        #expect(try Self.decode(output, &decoder) == [secret])
        output = []
        encoder.append(secret, .never, to: &output)
        #expect(output == blocks[0])
    }

    @Test func keepsTheTableWithinTheSizeOfThePeer() throws {
        var encoder = FieldBlockEncoder()
        var decoder = FieldBlockDecoder()
        var random = SplitMix64(seed: 3)
        for round in 0..<2000 {
            if round % 7 == 0 {
                for _ in 0...Int.random(in: 0...2, using: &random) {
                    encoder.setMaxTableSize(Int.random(in: 0...8192, using: &random))
                }
            }
            let fields = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                Field(
                    name: ["accept", "x-\(Int.random(in: 0...40, using: &random))", ":path", "etag"]
                        .randomElement(using: &random) ?? "",
                    bytes: (0..<Int.random(in: 0...90, using: &random)).map { _ in
                        UInt8.random(in: 0...255, using: &random)
                    })
            }
            var output: [UInt8] = []
            encoder.begin(&output)
            for field in fields {
                let indexing: [FieldBlockEncoder.Indexing] = [.added, .added, .omitted, .never]
                encoder.append(field, indexing.randomElement(using: &random) ?? .added, to: &output)
            }
            #expect(try Self.decode(output, &decoder) == fields)
        }
    }

    // RFC 7541, sections 2.3.3, 4.2, 5.1 and 5.2.
    @Test(arguments: [
        "80", "be", "ff", "ff 80", "ff 80 80 80 80 80 01", "ff ff ff ff ff ff ff ff ff 7f", "7e 01 61", "00", "40",
        "41", "41 05 61",
        "00 01 61", "00 01 61 02 62", "00 81 00 00", "0f", "82 3f 01", "3f e2 1f", "3f ff ff ff ff 07", "41 ff",
    ])
    func refusesMalformedBlocks(hex: String) {
        var decoder = FieldBlockDecoder()
        let error = #expect(throws: HTTP2Error.self) { try Self.decode([UInt8](hex: hex), &decoder) }
        #expect(error?.code == .compressionError && error?.stream == nil)
    }

    @Test func staysInStepBehindAHeadThatIsTooLarge() throws {
        var encoder = FieldBlockEncoder()
        var decoder = FieldBlockDecoder()
        var limits = RequestOptions.HeadLimits()
        limits.maxSize = 200
        limits.maxFieldCount = 3
        let large = Field(name: "x-large", value: String(repeating: "a", count: 200))
        let small = Field(name: "x-small", value: "b")
        for fields in [[small, large, small], [small, small, small, small], [large]] {
            var output: [UInt8] = []
            for field in fields { encoder.append(field, .added, to: &output) }
            #expect(try Self.decode(output, &decoder, limits: limits) == nil)
        }
        var output: [UInt8] = []
        for field in [small, small, small] { encoder.append(field, .added, to: &output) }
        #expect(output.count == 3)
        #expect(try Self.decode(output, &decoder, limits: limits) == [small, small, small])
    }

    @Test func doesNotAddUpWhatABlockRepeats() throws {
        // A block of 64 KiB that stands for 256 MB of fields.
        var encoder = FieldBlockEncoder()
        var decoder = FieldBlockDecoder()
        var output: [UInt8] = []
        encoder.append(Field(name: "x", value: String(repeating: "a", count: 4000)), .added, to: &output)
        output += [UInt8](repeating: 0xBE, count: 1 << 16)
        #expect(try Self.decode(output, &decoder) == nil)
    }

    @Test func noiseIsRefusedOrRead() {
        var random = SplitMix64(seed: 5)
        var refused = 0
        for _ in 0..<20_000 {
            let noise = (0..<Int.random(in: 1...64, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            var decoder = FieldBlockDecoder()
            do { _ = try Self.decode(noise, &decoder) } catch { refused += 1 }
        }
        #expect((1000..<20_000).contains(refused))
    }
}
