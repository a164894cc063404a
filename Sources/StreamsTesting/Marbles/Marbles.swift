import Streams

/// What happens on a stream, and when, drawn as a line of text.
///
/// ```
/// --a-b-|      nothing for two frames, a, nothing, b, nothing, finished
/// -a-#         a, then a failure
/// -(ab|)-      a, b and the completion at the same instant
/// ---^-a-!     subscribed at the fourth frame, cancelled at the eighth
/// ```
///
/// Each character is one frame of time, and what it stands for happens at the frame's beginning:
///
/// - `-` nothing.
/// - `|` the stream finishes, `#` it fails. Nothing of the stream comes after either.
/// - `(` and `)` enclose what happens at one instant. All of a group, brackets included, takes one frame.
/// - `^` the subscription, which is frame zero where it occurs: what stands before is in the past. Without it the line
///   begins there.
/// - `!` the cancellation.
/// - Spaces take no time, for lining things up.
/// - Any other character is a value.
public struct Marbles: Hashable, Sendable {
    /// What a character stands for.
    public enum Mark: Hashable, Sendable {
        /// A value, by its character.
        case value(Character)
        /// `|`: the stream finishes.
        case finish
        /// `#`: the stream fails.
        case failure
        /// `!`: the subscriber cancels.
        case cancellation
    }

    /// A mark and when it is.
    public struct Moment: Hashable, Sendable {
        /// Frames since the subscription, negative before it.
        public let frame: Int
        /// What happens then.
        public let mark: Mark

        /// A mark at a frame, counted from the subscription.
        public init(frame: Int, mark: Mark) {
            self.frame = frame
            self.mark = mark
        }
    }

    /// Everything that happens, in order.
    public let moments: [Moment]

    /// How many frames the line lasts from the subscription on.
    public let frameCount: Int

    init(moments: [Moment], frameCount: Int) {
        self.moments = moments
        self.frameCount = frameCount
    }

    /// Reads a diagram.
    ///
    /// - Throws: ``MarblesError`` if it is not one.
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

/// Why a text is not a marble diagram.
public struct MarblesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Problem: String, Error, Hashable, Sendable {
        /// `(` between `(` and `)`.
        case groupInGroup = "a group within a group"
        /// `)` without `(`.
        case groupNotOpened = "the end of a group that has not begun"
        /// `(` without `)`.
        case groupNotClosed = "a group without an end"
        /// `-` between `(` and `)`.
        case timeInGroup = "time in a group, which is one instant"
        /// `^` after another one.
        case secondSubscription = "a second subscription"
        /// A value, `|` or `#` after `|` or `#`.
        case afterEnd = "something of the stream after its end"
        /// `!` after another one.
        case secondCancellation = "a second cancellation"
    }

    /// What is wrong.
    public let problem: Problem
    /// The text that was read.
    public let diagram: String

    /// Which character of the diagram is to blame, counted from zero.
    public let offset: Int

    /// The diagram with an arrow below.
    public var description: String {
        "\(problem.rawValue)\n\(diagram)\n\(String(repeating: " ", count: offset))↑"
    }
}
