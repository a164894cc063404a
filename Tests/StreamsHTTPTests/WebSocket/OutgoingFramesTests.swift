import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// The order and the form of what is sent, without a connection.
@Suite struct OutgoingFramesTests {
    private var frames = OutgoingFrames()

    /// Writes all frames, into memory of a size at a time.
    private mutating func written(room: Int = 70_000, key: UInt32 = 0x1234_5678) -> [ClientFrame] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 16)
        defer { buffer.deallocate() }
        var bytes = Data()
        while true {
            let count = frames.write(to: buffer) { key }
            guard count > 0 else { return ClientFrame.frames(bytes) }
            bytes.append(contentsOf: buffer[..<count])
        }
    }

    @discardableResult
    private mutating func add(_ text: String) -> PendingWrite { add(FrameWriter(.text, Data(text.utf8))) }

    @discardableResult
    private mutating func add(_ writer: FrameWriter) -> PendingWrite { frames.add(writer) }

    @Test(arguments: [0, 1, 125, 126, 65_535, 65_536, 300_000], [1_200, 16_384, 400_000])
    mutating func writesFragmentsThatFit(size: Int, room: Int) {
        let content = Data(GeneratedBytes.bytes(0..<size))
        add(FrameWriter(.binary, content))
        let written = written(room: room)
        let isExact = written.map(\.payload).reduce(Data(), +) == content
        #expect(isExact)
        #expect(written.allSatisfy { $0.isMasked })
        #expect(written.count == 1 || room < size + FrameHeader.maxSize)
        let firsts = written.map(\.first)
        #expect(firsts.first.map { $0 & 0x0F } == 2 && firsts.dropFirst().allSatisfy { $0 & 0x0F == 0 })
        #expect(firsts.last.map { $0 & 0x80 } == 0x80 && firsts.dropLast().allSatisfy { $0 & 0x80 == 0 })
    }

    @Test mutating func writesMessagesInOrderOfCalls() {
        for text in ["one", "two", "three"] { add(text) }
        #expect(written() == [.text("one"), .text("two"), .text("three")])
    }

    @Test mutating func writesControlFramesFirst() {
        add("message")
        frames.add(pong: Data("answer".utf8))
        frames.addPing()
        #expect(written().map(\.first) == [0x8A, 0x89, 0x81])
    }

    @Test mutating func answersNewestPings() {
        for number in 1...20 { frames.add(pong: Data("\(number)".utf8)) }
        #expect(written().map { String(decoding: $0.payload, as: UTF8.self) } == (5...20).map { "\($0)" })
    }

    @Test mutating func writesCloseFrameLast() {
        add("message")
        frames.close(Data([3, 232]))
        #expect(!frames.acceptsMessages)
        #expect(written().map(\.first) == [0x81, 0x88])
        frames.add(pong: Data())
        #expect(written().isEmpty && frames.hasSentClose)
    }

    @Test mutating func replacesMessagesByCloseFrame() {
        add("message")
        frames.close(Data([3, 234]))
        _ = frames.dropMessages()
        #expect(written().map(\.first) == [0x88])
    }

    @Test mutating func withdrawsMessageThatHasNotBegun() {
        add("one")
        let write = add("two")
        #expect(frames.withdraw(write) && !frames.withdraw(write))
        #expect(written() == [.text("one")])
    }

    @Test mutating func withdrawsMessagesInAnyOrder() {
        let writes = (0..<200).map { add("\($0)") }
        let areWithdrawn = [0, 199, 100, 1, 100].map { frames.withdraw(writes[$0]) }
        #expect(areWithdrawn == [true, true, true, true, false])
        let rest = (2..<199).filter { $0 != 100 }
        #expect(written() == rest.map { .text("\($0)") })
    }

    @Test mutating func finishesMessageThatHasBegun() {
        let content = Data(GeneratedBytes.bytes(0..<10_000))
        let write = add(FrameWriter(.binary, content))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2000, alignment: 16)
        defer { buffer.deallocate() }
        let count = frames.write(to: buffer) { 0 }
        var sent = Data(buffer[..<count])
        _ = frames.withdraw(write)
        frames.close(Data([3, 234]))
        _ = frames.dropMessages()
        while true {
            let count = frames.write(to: buffer) { 0 }
            guard count > 0 else { break }
            sent.append(contentsOf: buffer[..<count])
        }
        let parts = ClientFrame.frames(sent)
        #expect(parts.dropLast().map(\.payload).reduce(Data(), +) == content && parts.last?.first == 0x88)
    }
}
