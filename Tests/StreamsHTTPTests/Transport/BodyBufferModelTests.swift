import StreamsLoopback
import Testing

@testable import StreamsHTTP
@testable import StreamsHTTPTesting

/// Random sequences of receiving, appending, allowing and taking, compared with the bytes that were sent.
@Suite struct BodyBufferModelTests {
    /// Sizes about the limits at which a buffer changes the memory that it uses.
    private static let limits = [1, 16 * 1024, 32 * 1024, 64 * 1024, 128 * 1024]

    @Test func deliversTheBytesInTheirOrder() {
        let bytes = GeneratedBytes.bytes(0..<400_000)
        let pool = ChunkPool()
        bytes.withUnsafeBytes { bytes in
            for seed in 0..<100_000 as Range<UInt64> {
                var model = Model(seed: seed, bytes, pool)
                guard let problem = model.run() else { continue }
                Issue.record("seed \(seed): \(problem)")
                return
            }
        }
    }

    /// A body that is received as its window allows, and the bytes that were sent.
    private struct Model: ~Copyable {
        private var random: SplitMix64
        private let sent: Slice<UnsafeRawBufferPointer>
        private let window: ReadWindow
        private var buffer: BodyBuffer
        private var receivedCount = 0
        private var takenCount = 0

        init(seed: UInt64, _ bytes: UnsafeRawBufferPointer, _ pool: ChunkPool) {
            random = SplitMix64(seed: seed)
            sent = bytes.prefix(Model.size(upTo: bytes.count, &random))
            window = ReadWindow(Model.size(upTo: 300_000, &random))
            buffer = BodyBuffer(pool)
        }

        private static func size(upTo maximum: Int, _ random: inout SplitMix64) -> Int {
            let limit = BodyBufferModelTests.limits.randomElement(using: &random) ?? 1
            let size =
                Bool.random(using: &random)
                ? limit + .random(in: -1...1, using: &random) : .random(in: 1...(2 * limit), using: &random)
            return min(max(size, 1), maximum)
        }

        /// Returns the problem; `nil` if each byte was delivered once and in order.
        mutating func run() -> String? {
            while takenCount < sent.count {
                if receivedCount < sent.count, window.isOpen() { receive() }
                guard buffer.isEmpty == (takenCount == receivedCount) else { return "isEmpty at \(receivedCount)" }
                // The engine reads a connection several times before it delivers.
                if Bool.random(using: &random), let problem = take() { return problem }
            }
            return buffer.next() == nil ? nil : "more bytes than were sent"
        }

        /// Receives a part straight into the buffer, or appends it.
        private mutating func receive() {
            let rest = UnsafeRawBufferPointer(rebasing: sent[receivedCount...])
            let part = rest.prefix(Model.size(upTo: rest.count, &random))
            if Bool.random(using: &random) {
                buffer.append(UnsafeRawBufferPointer(rebasing: part))
                receivedCount += part.count
                window.spend(part.count)
            } else {
                // A connection can have no bytes now.
                let isSilent = Int.random(in: 0..<8, using: &random) == 0
                let count = buffer.append(upTo: Int64(rest.count)) { memory in
                    let received = part.prefix(isSilent ? 0 : memory.count)
                    memory.copyBytes(from: received)
                    return received.count
                }
                receivedCount += count
                window.spend(count)
            }
        }

        /// Takes chunks, and allows as many bytes.
        private mutating func take() -> String? {
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                guard let chunk = buffer.next() else { return nil }
                guard !chunk.isEmpty, takenCount + chunk.count <= receivedCount,
                    GeneratedBytes.matches(chunk, at: takenCount)
                else { return "\(chunk.count) wrong bytes at \(takenCount) of \(sent.count)" }
                takenCount += chunk.count
                _ = window.allow(bytes: chunk.count)
            }
            return nil
        }
    }
}
