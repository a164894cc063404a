import Foundation
import Testing

@testable import StreamsHTTP
@testable import StreamsHTTPTesting

/// Frames of HTTP/2 by themselves (RFC 9113, sections 4 and 6).
struct HTTP2FrameTests {
    /// Reads all frames of hexadecimal digits, as text.
    private static func read(_ hex: String) throws -> [String] {
        try read([UInt8](hex: hex))
    }

    private static func read(_ bytes: [UInt8], pieces: Int = .max) throws -> [String] {
        var reader = HTTP2FrameReader()
        var frames: [String] = []
        var buffer: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            buffer += rest.prefix(pieces)
            rest = rest.dropFirst(pieces)
            let count = try buffer.withUnsafeBytes { bytes in
                var input = bytes
                while let frame = try reader.next(&input) { frames.append(frame.text) }
                return bytes.count - input.count
            }
            buffer.removeFirst(count)
        }
        #expect(buffer.isEmpty)
        return frames
    }

    @Test(arguments: [
        ("000005 00 00 00000001 68656c6c6f", "data 1 'hello' 5"), ("000000 00 01 00000003", "data 3 '' 0 last"),
        ("000008 00 09 80000001 02 68656c6c6f 0000", "data 1 'hello' 8 last"),
        ("000002 00 08 00000001 01 00", "data 1 '' 2"),
        ("000001 00 08 00000001 00", "data 1 '' 1"), ("000002 01 05 00000001 8286", "headers 1 8286 ends last"),
        (
            "000002 01 00 00000001 8286 000001 09 00 00000001 84 000000 09 04 00000001",
            "headers 1 8286, continuation 1 84, continuation 1  ends"
        ),
        ("000009 01 2c 00000005 01 80000003 0f 8286 00", "headers 5 8286 ends"),
        ("000005 02 00 00000001 00000000 10", "ignored"), ("000004 03 00 00000001 00000008", "reset 1 8"),
        ("000004 03 00 00000001 ffffffff", "reset 1 4294967295"), ("000000 04 00 00000000", "settings"),
        ("00000c 04 00 00000000 0004 00010000 00aa ffffffff", "settings 4=65536 170=4294967295"),
        ("000000 04 01 00000000", "settings acknowledged"),
        ("000008 06 00 00000000 0102030405060708", "ping 72623859790382856"),
        ("000008 06 01 00000000 0000000000000001", "ping 1 acknowledged"),
        ("00000a 07 00 00000000 80000005 00000000 6162", "go away 5 0"),
        ("000004 08 00 00000000 8000ffff", "window 0 65535"),
        ("000004 08 00 00000007 7fffffff", "window 7 2147483647"), ("000003 0a ff 00000001 616263", "ignored"),
        ("000004 05 04 00000001 00000002", "push 1"),
    ])
    func readsFrames(hex: String, text: String) throws {
        let bytes = [UInt8](hex: hex)
        for size in [1, 3, 9, .max] { #expect(try Self.read(bytes, pieces: size).joined(separator: ", ") == text) }
    }

    // The code of the error, and the stream that ends by it, or 0 for the connection.
    @Test(arguments: [
        // The sizes of frames (4.2, 6).
        ("004001 00 00 00000001", 6, 0), ("ffffff 0a 00 00000000", 6, 0), ("000004 02 00 00000001 00000000", 6, 1),
        ("000003 03 00 00000001 000000", 6, 0), ("000005 04 00 00000000 0001000000", 6, 0),
        ("000006 04 01 00000000 000100000000", 6, 0), ("000007 06 00 00000000 00000000000000", 6, 0),
        ("000004 07 00 00000000 00000000", 6, 0), ("000003 08 00 00000000 000000", 6, 0),
        ("000000 00 08 00000001", 6, 0),
        ("000004 01 24 00000001 00000000", 6, 0),
        // Paddings (6.1, 6.2).
        ("000001 00 08 00000001 01", 1, 0), ("000003 01 0c 00000001 03 82 00", 1, 0),
        // Streams (6.1 to 6.10).
        ("000001 00 00 00000000 61", 1, 0), ("000001 01 04 00000000 82", 1, 0),
        ("000005 02 00 00000000 0000000000", 1, 0),
        ("000004 03 00 00000000 00000000", 1, 0), ("000000 04 00 00000001", 1, 0),
        ("000004 05 04 00000000 00000002", 1, 0),
        ("000008 06 00 00000001 0000000000000000", 1, 0), ("000008 07 00 00000001 0000000000000000", 1, 0),
        // Settings (6.5.2).
        ("000006 04 00 00000000 0002 00000001", 1, 0), ("000006 04 00 00000000 0004 80000000", 3, 0),
        ("000006 04 00 00000000 0005 00003fff", 1, 0), ("000006 04 00 00000000 0005 01000000", 1, 0),
        ("000006 04 00 00000000 0008 00000002", 1, 0),
        // Windows (6.9).
        ("000004 08 00 00000000 00000000", 1, 0), ("000004 08 00 00000009 80000000", 1, 9),
        // Field blocks that are interrupted, or have not begun (4.3, 6.10).
        ("000001 01 00 00000001 82 000000 04 00 00000000", 1, 0),
        ("000001 01 00 00000001 82 000001 0a 00 00000001 82", 1, 0),
        ("000001 01 00 00000001 82 000001 09 04 00000003 84", 1, 0),
        ("000001 01 00 00000001 82 000001 01 04 00000001 84", 1, 0),
        ("000001 09 04 00000001 82", 1, 0), ("000001 01 04 00000001 82 000001 09 04 00000001 84", 1, 0),
    ])
    func refusesMalformedFrames(hex: String, code: UInt32, stream: UInt32) {
        let error = #expect(throws: HTTP2Error.self) { try Self.read(hex) }
        #expect(error?.code.rawValue == code)
        #expect(error?.stream ?? 0 == stream)
    }

    @Test func readsWhatItHasWritten() throws {
        var writer = HTTP2FrameWriter()
        writer.writePreface()
        #expect(String(decoding: writer.take(), as: UTF8.self) == "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        let content = (0..<16_384).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        writer.writeSettings([(.headerTableSize, 4096), (.enablePush, 0)])
        writer.writeSettingsAcknowledgement()
        writer.writePing(.max, isAcknowledgement: false)
        writer.writePing(7, isAcknowledgement: true)
        writer.writeReset(0x7FFF_FFFF, .cancel)
        writer.writeGoAway(.enhanceYourCalm)
        writer.writeWindowUpdate(0, 0x7FFF_FFFF)
        writer.writeHeaders(1, [0x82, 0x86, 0x84], isLast: true, maxSize: 16_384)
        writer.writeHeaders(3, [0x82, 0x86, 0x84, 0x87], isLast: false, maxSize: 3)
        writer.writeHeaders(5, [], isLast: false, maxSize: 3)
        content.withUnsafeBytes { writer.writeData(3, $0, isLast: false) }
        content[..<2].withUnsafeBytes { writer.writeData(3, $0, isLast: true) }
        let text = String(decoding: content, as: UTF8.self)
        #expect(
            try Self.read(writer.take()) == [
                "settings 1=4096 2=0", "settings acknowledged", "ping \(UInt64.max)", "ping 7 acknowledged",
                "reset 2147483647 8", "go away 0 11", "window 0 2147483647", "headers 1 828684 ends last",
                "headers 3 828684",
                "continuation 3 87 ends", "headers 5  ends", "data 3 '\(text)' 16384", "data 3 '\u{0}\u{1F}' 2 last",
            ])
        #expect(writer.take().isEmpty)
    }

    @Test func noiseIsRefusedOrRead() {
        var random = SplitMix64(seed: 11)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...40, using: &random)
            var noise = [UInt8(0), 0, UInt8(count), UInt8.random(in: 0...11, using: &random)]
            noise += (0..<count + 5).map { _ in UInt8.random(in: 0...255, using: &random) }
            var reader = HTTP2FrameReader()
            noise.withUnsafeBytes { bytes in
                var input = bytes
                let frame = try? reader.next(&input)
                #expect(frame == nil || input.isEmpty)
            }
        }
    }
}

extension HTTP2Frame {
    fileprivate var text: String {
        func words(_ words: String?...) -> String { words.compactMap(\.self).joined(separator: " ") }
        func hex(_ bytes: UnsafeRawBufferPointer) -> String { bytes.map { String(format: "%02x", $0) }.joined() }
        return switch self {
        case .data(let stream, let content, let size, let isLast):
            words("data \(stream) '\(String(decoding: content, as: UTF8.self))' \(size)", isLast ? "last" : nil)
        case .headers(let stream, let block, let endsBlock, let isLast):
            words("headers \(stream) \(hex(block))", endsBlock ? "ends" : nil, isLast ? "last" : nil)
        case .continuation(let stream, let block, let endsBlock):
            words("continuation \(stream) \(hex(block))", endsBlock ? "ends" : nil)
        case .reset(let stream, let code): "reset \(stream) \(code.rawValue)"
        case .settings(let settings):
            words("settings", settings.isEmpty ? nil : settings.map { "\($0.rawValue)=\($1)" }.joined(separator: " "))
        case .settingsAcknowledgement: "settings acknowledged"
        case .ping(let data): "ping \(data)"
        case .pingAcknowledgement(let data): "ping \(data) acknowledged"
        case .goAway(let last, let code): "go away \(last) \(code.rawValue)"
        case .windowUpdate(let stream, let increment): "window \(stream) \(increment)"
        case .pushPromise(let stream): "push \(stream)"
        case .ignored: "ignored"
        }
    }
}
