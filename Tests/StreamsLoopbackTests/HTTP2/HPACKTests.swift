import Testing

@testable import StreamsLoopback

/// The decoder and the encoder of field blocks.
@Suite struct HPACKTests {
    /// Returns the bytes of hexadecimal digits.
    private func bytes(_ digits: String) -> [UInt8] {
        let digits = digits.filter { $0 != " " }
        return stride(from: 0, to: digits.count, by: 2).compactMap { offset in
            UInt8(digits.dropFirst(offset).prefix(2), radix: 16)
        }
    }

    private func text(_ fields: [HPACKField]) -> [String] {
        fields.map { "\(decoded($0.name)): \(decoded($0.value))" }
    }

    /// The examples of RFC 7541, appendices C.3 and C.4: three requests that fill the dynamic table.
    @Test(arguments: [
        [
            "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d", "8286 84be 5808 6e6f 2d63 6163 6865",
            "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
        ],
        [
            "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff", "8286 84be 5886 a8eb 1064 9cbf",
            "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
        ],
    ])
    func decodesRequestsOfTheStandard(blocks: [String]) throws {
        var decoder = HPACKDecoder()
        let start = [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com"]
        #expect(try text(decoder.decode(bytes(blocks[0]))) == start)
        #expect(try text(decoder.decode(bytes(blocks[1]))) == start + ["cache-control: no-cache"])
        #expect(
            try text(decoder.decode(bytes(blocks[2]))) == [
                ":method: GET", ":scheme: https", ":path: /index.html", ":authority: www.example.com",
                "custom-key: custom-value",
            ])
    }

    @Test func decodesEveryHuffmanCode() {
        // All bytes in order, encoded by another library.
        let all =
            "ffc7fffd8fffffe2fffffe3fffffe4fffffe5fffffe6fffffe7fffffe8ffffeafffffff3fffffa7fffffabffffffdfff"
            + "ffebfffffecfffffedfffffeefffffefffffff0ffffff1ffffff2fffffffbfffffcffffffd3fffffd7fffffdbfffffdf"
            + "fffffe3fffffe7fffffebfffffed4fe3f9ffaffcabf1febfafefe7fdfd2cbb00089969b71d79fb9f7fff20ffbff3ff50"
            + "ddbd7f061c58f265cd9f469d5af66dddbf871e5f9cff7ff7fffc3ff9ffe45fff4719242cb34e6e9d68a6a3d7dac426de"
            + "fe3cfaf7fffbfe7ffbffdffffffcfffe6ffff4bfff9ffffa3fffd3ffff53fffd5ffffb3fffeb7fffdaffffb7ffff73ff"
            + "feeffffdeffffebffffbfffffd9ffffdbfffebffffe0ffffeeffffc3ffff8bffff1ffffe4fffee7fffb1ffff97fffd9f"
            + "fffcdffff9fffffbffffdafffeeffff4ffffb7fffee7fffe8ffffd3fffdeffffd5fffeeffffbdffffe1fffdfffff7fff"
            + "ff5ffffecffff07fff87fffe0ffff17fffedffff87ffff77fffeffffeaffff8bfffe3ffff93ffff87fffcbffff37ffff"
            + "1fffff83ffffe1fffebfffe3ffff3fffff2ffffa3ffffd9fffff17ffffc7fffff27ffffdefffffbffffff2fffff8ffff"
            + "fb7fff97fff8fffffe6fffffc1fffff87ffffe7fffffc5ffffe5fffe4ffff2fffffd1fffff4ffffffefffffe3fffffc9"
            + "fffff97fffb3ffffcffffb7fffcdffff4ffff9ffffd1ffffcffffeaffffafffffddffffeffffff4fffff5fffffabffff"
            + "a7ffffd7fffff9bffffecfffffb7fffff3fffffe8fffffd3fffffabfffff5fffffff7ffffecfffffdbfffffbbfffff7f"
            + "fffff0fffffbbf"
        #expect(HuffmanCode.decode(bytes(all)) == Array(0...255))
        #expect(HuffmanCode.decode(bytes("f1e3 c2e5 f23a 6ba0 ab90 f4ff")) == Array("www.example.com".utf8))
        #expect(HuffmanCode.decode([0xFF, 0xFF, 0xFF, 0xF3]) == [0x0A])
        #expect(HuffmanCode.decode([]) == [])
    }

    @Test func evictsTheOldestFields() throws {
        var decoder = HPACKDecoder()
        // A table of 80 bytes holds two fields of 38 bytes.
        let added = try decoder.decode(
            bytes("3f31 4003 6162 6303 3031 32 4003 6162 6303 3334 35 4003 6162 6303 3637 38"))
        #expect(text(added) == ["abc: 012", "abc: 345", "abc: 678"])
        #expect(try text(decoder.decode(bytes("be bf"))) == ["abc: 678", "abc: 345"])
        #expect(throws: HTTP2Violation.self) { try decoder.decode(bytes("c0")) }
    }

    @Test(arguments: [
        ("80", "no field has the index 0"), ("be", "no field has the index 62"), ("40", "a truncated block"),
        ("4003 6162", "a truncated string"), ("00 81 18 00", "a malformed Huffman code"),
        ("00 82 ffff 00", "a malformed Huffman code"), ("00 84 fffffffc 00", "a malformed Huffman code"),
        ("82 20", "a size update after a field"), ("3fe2 1f", "a table of 4097 bytes, not 4096"),
        ("ff ffff ffff ff7f", "an integer of more than 28 bits"),
    ])
    func rejectsMalformedBlocks(block: String, reason: String) {
        var decoder = HPACKDecoder()
        #expect(throws: HTTP2Violation(.compressionError, reason)) { try decoder.decode(bytes(block)) }
    }

    @Test func insistsOnTheSizeUpdateAfterTheAcknowledgement() throws {
        var decoder = HPACKDecoder()
        decoder.limit(to: 0)
        #expect(throws: HTTP2Violation.self) { try decoder.decode(bytes("82")) }
        #expect(throws: HTTP2Violation.self) { try decoder.decode(bytes("21 82")) }
        #expect(try text(decoder.decode(bytes("20 82"))) == [":method: GET"])
        #expect(try text(decoder.decode(bytes("83"))) == [":method: POST"])
    }

    @Test func encodesWhatTheDecoderReads() throws {
        let fields = [
            HPACKField(":status".utf8, "200".utf8), HPACKField(":status".utf8, "418".utf8),
            HPACKField("content-type".utf8, "text/plain".utf8), HPACKField("X-Case".utf8, [0xFF, 0x00]),
            HPACKField("x-long".utf8, [UInt8](repeating: 0x61, count: 100_000)), HPACKField("x-empty".utf8, []),
        ]
        let block = HPACKEncoder.encode(fields)
        #expect(block.starts(with: [0x88, 0x08, 3, 0x34, 0x31, 0x38, 0x0F, 16, 10]))
        var decoder = HPACKDecoder()
        #expect(try decoder.decode(block) == fields)
    }
}
