import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// A body between its source and libcurl.
@Suite struct BodyUploadTests {
    private let source = ChunkSource([], end: .open)

    @Test func aBodyThatStartsOverIsNotWaitedFor() throws {
        var upload = BodyUpload(.replayableStream { [source] in source })
        try upload.open {}
        var buffer = [UInt8](repeating: 0, count: 10)
        guard case .waiting = buffer.withUnsafeMutableBytes({ upload.read(into: $0) }) else {
            Issue.record("there was something to read")
            return
        }
        #expect(upload.isPaused)
        #expect(try upload.rewind {})
        #expect(!upload.isPaused)
        upload.close()
    }
}
