/// A limit of the frames that cost work and do none: settings, pings, empty content and the like. With them, a server could
/// keep the client busy for nothing.
///
/// Each takes one of a number of tokens, which come back with time and with work that is done on a stream. A connection that
/// lives for weeks sees many such frames, and an upload a window for each of its frames. The number of answers to such frames
/// that wait to be sent has a limit of its own.
struct HTTP2FloodGuard {
    /// The maximum number of tokens.
    private static let capacity = 1000
    /// The time in which a token comes back, in nanoseconds.
    private static let interval: Int64 = 5_000_000
    /// The number of tokens that come back with a frame that does work.
    private static let workValue = 8
    /// The number of bytes of an upload for which a token comes back. Some servers announce both windows each time that
    /// their handler reads, which may be 512 bytes at a time.
    private static let uploadShare = 256
    /// The maximum number of tokens after an upload, whose windows may come after all of its content has been written.
    private static let uploadCapacity = 10_000
    /// The maximum number of answers that wait to be sent.
    private static let maxAnswerCount = 10_000

    private var tokens = capacity
    /// The time up to which tokens have come back.
    private var time: MonotonicTime
    /// The number of answers to pings and settings that wait to be sent.
    private var answerCount = 0

    init(now: MonotonicTime) {
        time = now
    }

    /// Counts a frame that does no work.
    mutating func count(now: MonotonicTime) throws(HTTP2Error) {
        // Only now, so that most frames cost no division.
        if tokens == 0 { refill(now: now) }
        guard tokens > 0 else { throw HTTP2Error(.enhanceYourCalm, "too many frames that do no work") }
        tokens -= 1
    }

    /// Returns the tokens of the time that has passed. What is left of it counts the next time.
    private mutating func refill(now: MonotonicTime) {
        let count = max((now - time).wholeNanoseconds, 0) / Self.interval
        guard count < Self.capacity else {
            tokens = Self.capacity
            time = now
            return
        }
        tokens = Int(count)
        time = time + .nanoseconds(count * Self.interval)
    }

    /// Counts a frame that does work, or that the client itself has caused.
    mutating func noteWork() {
        add(Self.workValue, upTo: Self.capacity)
    }

    /// Counts content of a request, which the server answers with windows.
    mutating func noteUpload(of size: Int) {
        add(Self.workValue + size / Self.uploadShare, upTo: Self.uploadCapacity)
    }

    /// Counts an answer to the server, which must read those that it asks for.
    mutating func countAnswer() throws(HTTP2Error) {
        answerCount += 1
        guard answerCount <= Self.maxAnswerCount else {
            throw HTTP2Error(.enhanceYourCalm, "the server asks for answers that it does not read")
        }
    }

    /// Records that all answers are being sent.
    mutating func noteOutput() {
        answerCount = 0
    }

    private mutating func add(_ count: Int, upTo limit: Int) {
        tokens = max(tokens, min(tokens + count, limit))
    }
}
