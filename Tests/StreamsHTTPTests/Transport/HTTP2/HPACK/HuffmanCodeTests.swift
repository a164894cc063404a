import Foundation
import Testing

@testable import StreamsHTTP
@testable import StreamsHTTPTesting

/// The Huffman code, by the examples of RFC 7541 and by texts of all bytes.
struct HuffmanCodeTests {
    // RFC 7541, appendix C.4 and C.6.
    @Test(arguments: [
        ("www.example.com", "f1e3c2e5f23a6ba0ab90f4ff"), ("no-cache", "a8eb10649cbf"),
        ("custom-key", "25a849e95ba97d7f"),
        ("custom-value", "25a849e95bb8e8b4bf"), ("302", "6402"), ("private", "aec3771a4b"),
        ("Mon, 21 Oct 2013 20:13:21 GMT", "d07abe941054d444a8200595040b8166e082a62d1bff"),
        ("https://www.example.com", "9d29ad171863c78f0b97c8e9ae82ae43d3"), ("", ""),
    ])
    func encodesAndDecodesTheExamples(text: String, hex: String) {
        var output: [UInt8] = []
        HuffmanCode.encode(text.utf8, to: &output)
        #expect(output == [UInt8](hex: hex))
        #expect(HuffmanCode.encodedCount(text.utf8) == output.count)
        #expect(HuffmanCode.decode([UInt8](hex: hex)).map { String(decoding: $0, as: UTF8.self) } == text)
    }

    @Test func decodesWhatItHasEncoded() {
        var random = SplitMix64(seed: 1)
        let all = [UInt8](0...255)
        for length in 0..<600 {
            let text =
                length < 256 ? [all[length]] : (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            var output: [UInt8] = []
            HuffmanCode.encode(text, to: &output)
            #expect(HuffmanCode.encodedCount(text) == output.count)
            #expect(HuffmanCode.decode(output) == text)
        }
    }

    // RFC 7541, section 5.2: at most seven bits of padding, all of them ones, and never the code of the end.
    @Test(arguments: ["00", "1e", "ff", "1fff", "ffffffff", "fffffffc", "64", "f8ff"])
    func refusesMalformedTexts(hex: String) {
        #expect(HuffmanCode.decode([UInt8](hex: hex)) == nil)
    }
}

extension [UInt8] {
    /// Creates the bytes of hexadecimal digits, between which blanks may stand.
    init(hex: String) {
        let digits = hex.compactMap(\.hexDigitValue)
        self = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
