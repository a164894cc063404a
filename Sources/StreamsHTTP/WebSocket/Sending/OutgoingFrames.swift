/// The frames that are yet to be written, and their order: control frames before messages, also between the fragments
/// of one, and the close frame last.
struct OutgoingFrames {
    private struct Message {
        var writer: FrameWriter
        var write: PendingWrite?
    }

    /// The number of answers to pings that are kept. Older ones are not needed (RFC 6455, section 5.5.3).
    private static let maxPongs = 16

    /// The message that is written next, of which a part may have been written.
    private var current: Message?
    /// The messages behind it, by the numbers of their writes.
    private var messages = WaitingQueue<Message>()
    private var pongs: [Data] = []
    private var hasPing = false
    private var closeFrame: Data?
    /// The messages that have been taken. They are written when more is asked for.
    private var taken: [PendingWrite] = []
    /// Whether the close frame has been taken, after which nothing is sent.
    private(set) var hasSentClose = false
    /// The number of bytes of messages that have been taken.
    private(set) var takenCount = 0
    /// The number of messages that have been added.
    private var addedCount = 0
    private var hasEnded = false

    /// Whether messages are still accepted.
    var acceptsMessages: Bool { closeFrame == nil && !hasEnded }
}

// MARK: Adding

extension OutgoingFrames {
    /// Adds a message at the end.
    mutating func add(_ writer: FrameWriter) -> PendingWrite {
        addedCount += 1
        let write = PendingWrite(number: addedCount)
        let message = Message(writer: writer, write: write)
        if current == nil, messages.isEmpty {
            current = message
        } else {
            messages.append(message, number: addedCount)
        }
        return write
    }

    /// Withdraws a message that has not begun. One that has is sent to its end.
    ///
    /// - Returns: Whether it had not been taken.
    mutating func withdraw(_ write: PendingWrite) -> Bool {
        guard let current, current.write === write else { return messages.remove(write.number) != nil }
        if current.writer.hasBegun { self.current?.write = nil } else { self.current = nil }
        return true
    }

    mutating func add(pong payload: Data) {
        guard !hasSentClose, !hasEnded else { return }
        if pongs.count == Self.maxPongs { pongs.removeFirst() }
        pongs.append(payload)
    }

    mutating func addPing() {
        hasPing = !hasSentClose && !hasEnded
    }

    /// Adds the close frame, unless there is one.
    mutating func close(_ payload: Data) {
        if acceptsMessages { closeFrame = payload }
    }

    /// Drops the messages that have not begun.
    ///
    /// - Returns: The messages.
    mutating func dropMessages() -> [PendingWrite] {
        let next = current?.writer.hasBegun ?? false ? nil : current.take()
        let dropped = [next?.write] + messages.removeAll { _ in true }.map(\.write)
        return dropped.compactMap(\.self)
    }

    /// Drops the messages.
    ///
    /// - Returns: Those that have not been written, as far as they are waited for.
    mutating func dropUnwritten() -> [PendingWrite] {
        let unwritten = [current.take()?.write] + messages.removeAll { _ in true }.map(\.write)
        return unwritten.compactMap(\.self) + exchange(&taken, with: [])
    }

    /// Drops everything.
    ///
    /// - Returns: The messages that have not been written, as far as they are waited for.
    mutating func end() -> [PendingWrite] {
        let unwritten = dropUnwritten()
        let (hasSentClose, takenCount) = (hasSentClose, takenCount)
        self = OutgoingFrames()
        (self.hasSentClose, self.takenCount, hasEnded) = (hasSentClose, takenCount, true)
        return unwritten
    }
}

// MARK: Writing

extension OutgoingFrames {
    /// Takes the messages that have been written, since more is asked for.
    mutating func takeWritten() -> [PendingWrite] {
        exchange(&taken, with: [])
    }

    /// Writes the next frames, as many as fit.
    ///
    /// - Parameter random: Returns a number that cannot be foreseen.
    /// - Returns: The number of bytes.
    mutating func write(to buffer: UnsafeMutableRawBufferPointer, random: () -> UInt32) -> Int {
        var count = 0
        while !hasSentClose, hasFrames {
            let size = writeFrame(to: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]), mask: random())
            guard size > 0 else { break }
            count += size
        }
        return count
    }

    private var hasFrames: Bool {
        !pongs.isEmpty || hasPing || current != nil || !messages.isEmpty || closeFrame != nil
    }

    private mutating func writeFrame(to room: UnsafeMutableRawBufferPointer, mask: UInt32) -> Int {
        guard room.count >= FrameHeader.maxSize + FrameHeader.maxControlLength else { return 0 }
        if !pongs.isEmpty { return Self.write(.pong, pongs.removeFirst(), to: room, mask: mask) }
        if hasPing {
            hasPing = false
            return Self.write(.ping, Data(), to: room, mask: mask)
        }
        if current == nil { current = messages.popFirst() }
        if let size = current?.writer.write(to: room, mask: mask) {
            takenCount += size
            if current?.writer.isOver ?? false, let write = current.take()?.write { taken.append(write) }
            return size
        }
        guard let closeFrame else { return 0 }
        hasSentClose = true
        return Self.write(.close, closeFrame, to: room, mask: mask)
    }

    private static func write(
        _ kind: FrameKind, _ payload: Data, to room: UnsafeMutableRawBufferPointer, mask: UInt32
    ) -> Int {
        var writer = FrameWriter(kind, payload)
        return writer.write(to: room, mask: mask)
    }
}

/// A message that has been added and is to be written, for the call that waits for it.
final class PendingWrite: Sendable {
    private enum State {
        case pending
        case awaited(CheckedContinuation<Bool, Never>)
        case ended(isWritten: Bool)
    }

    /// The number of the message.
    let number: Int
    private let state: Locked<State>

    /// Creates the write of a message.
    init(number: Int) {
        self.number = number
        state = Locked(.pending)
    }

    private init(_ state: State) {
        number = 0
        self.state = Locked(state)
    }

    /// Returns the write of a message that was not added.
    static func refused() -> PendingWrite { PendingWrite(.ended(isWritten: false)) }

    /// Waits until the message has been written, or cannot be any more. To be called once.
    ///
    /// - Returns: Whether it has been written.
    func wait() async -> Bool {
        await withCheckedContinuation { waiter in
            let isWritten = state.withLock { state -> Bool? in
                if case .ended(let isWritten) = state { return isWritten }
                state = .awaited(waiter)
                return nil
            }
            if let isWritten { waiter.resume(returning: isWritten) }
        }
    }

    /// Ends the wait.
    func end(isWritten: Bool) {
        let previous = state.withLock { exchange(&$0, with: .ended(isWritten: isWritten)) }
        if case .awaited(let waiter) = previous { waiter.resume(returning: isWritten) }
    }
}
