/// A parser that reads a diagram character by character.
struct MarblesParser {
    private var moments: [Marbles.Moment] = []
    private var frame = 0
    private var subscriptionFrame: Int?
    private var isInGroup = false
    private var hasEnded = false
    private var isCancelled = false

    mutating func read(_ character: Character) throws(MarblesError.Problem) {
        switch character {
        case " ":
            break
        case "-":
            if isInGroup { throw .timeInGroup }
            frame += 1
        case "(":
            if isInGroup { throw .groupInGroup }
            isInGroup = true
        case ")":
            if !isInGroup { throw .groupNotOpened }
            isInGroup = false
            frame += 1
        case "^":
            if subscriptionFrame != nil { throw .secondSubscription }
            subscriptionFrame = frame
            pass()
        case "!":
            if isCancelled { throw .secondCancellation }
            isCancelled = true
            add(.cancellation)
        default:
            if hasEnded { throw .afterEnd }
            let mark = Self.mark(character)
            if case .value = mark {} else { hasEnded = true }
            add(mark)
        }
    }

    func finish() throws(MarblesError.Problem) -> Marbles {
        if isInGroup { throw .groupNotClosed }
        let start = subscriptionFrame ?? 0
        let shifted = moments.map { Marbles.Moment(frame: $0.frame - start, mark: $0.mark) }
        return Marbles(moments: shifted, frameCount: frame - start)
    }

    private static func mark(_ character: Character) -> Marbles.Mark {
        switch character {
        case "|": .finish
        case "#": .failure
        default: .value(character)
        }
    }

    private mutating func add(_ mark: Marbles.Mark) {
        moments.append(Marbles.Moment(frame: frame, mark: mark))
        pass()
    }

    private mutating func pass() {
        if !isInGroup { frame += 1 }
    }
}
