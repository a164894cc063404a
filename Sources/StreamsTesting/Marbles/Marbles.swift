import Streams

/// A diagram of a stream's signals over time, as a line of text.
///
/// ```
/// --a-b-|      nothing for two frames, a, nothing, b, nothing, finished
/// -a-#         a, then a failure
/// -(ab|)-      a, b and the completion at the same time
/// ---^-a-!     subscribed at the fourth frame, cancelled at the eighth
/// ```
///
/// Each character is a frame of time. Its signal occurs at the beginning of the frame:
///
/// - `-` is a frame without a signal.
/// - `|` is the completion `finished`, `#` a failure. No signal follows either.
/// - `(` and `)` enclose signals that occur at the same time. A group is one frame.
/// - `^` is the subscription, at frame zero. Signals before it are in the past. Without a `^` the diagram begins with
///   the subscription.
/// - `!` is the cancellation.
/// - Spaces take no time. They align diagrams.
/// - Any other character is a value.
public struct Marbles: Hashable, Sendable {
    /// The meaning of a character.
    public enum Mark: Hashable, Sendable {
        /// A value, named by its character.
        case value(Character)
        /// The completion `finished`, drawn as `|`.
        case finish
        /// A failure, drawn as `#`.
        case failure
        /// The cancellation by the subscriber, drawn as `!`.
        case cancellation
    }

    /// A mark and its frame.
    public struct Moment: Hashable, Sendable {
        /// The number of frames since the subscription, negative before it.
        public let frame: Int
        /// The mark.
        public let mark: Mark

        /// Creates a mark at a frame, counted from the subscription.
        public init(frame: Int, mark: Mark) {
            self.frame = frame
            self.mark = mark
        }
    }

    /// The marks and their frames, in order.
    public let moments: [Moment]

    /// The number of frames from the subscription on.
    public let frameCount: Int

    init(moments: [Moment], frameCount: Int) {
        self.moments = moments
        self.frameCount = frameCount
    }

    /// Creates a diagram from text.
    ///
    /// - Throws: ``MarblesError`` if the text is not a valid diagram.
    public init(_ diagram: String) throws(MarblesError) {
        var parser = MarblesParser()
        for (offset, character) in diagram.enumerated() {
            do {
                try parser.read(character)
            } catch {
                throw MarblesError(problem: error, diagram: diagram, offset: offset)
            }
        }
        do {
            self = try parser.finish()
        } catch {
            throw MarblesError(problem: error, diagram: diagram, offset: diagram.count)
        }
    }
}

/// An error in the text of a marble diagram.
public struct MarblesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A kind of error.
    public enum Problem: String, Error, Hashable, Sendable {
        /// A `(` between `(` and `)`.
        case groupInGroup = "a group within a group"
        /// A `)` without a `(`.
        case groupNotOpened = "the end of a group that has not begun"
        /// A `(` without a `)`.
        case groupNotClosed = "a group without an end"
        /// A `-` between `(` and `)`.
        case timeInGroup = "time in a group, which is one instant"
        /// A second `^`.
        case secondSubscription = "a second subscription"
        /// A value, `|` or `#` after `|` or `#`.
        case afterEnd = "something of the stream after its end"
        /// A second `!`.
        case secondCancellation = "a second cancellation"
    }

    /// The kind of error.
    public let problem: Problem
    /// The text of the diagram.
    public let diagram: String

    /// The offset of the invalid character in the diagram, or the diagram's length if its end is missing.
    public let offset: Int

    /// The error and the diagram, with an arrow below the invalid character.
    public var description: String {
        "\(problem.rawValue)\n\(diagram)\n\(String(repeating: " ", count: offset))↑"
    }
}
