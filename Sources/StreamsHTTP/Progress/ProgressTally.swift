/// The sums of a group's progress.
struct ProgressTally {
    private struct Member {
        var completed: Int64 = 0
        var decoded: Int64 = 0
        var total: Int64?
    }

    private var rate: TransferRate
    private var members: [Int: Member] = [:]
    private var nextMember = 0
    private var finishedCount = 0
    private var unknownCount = 0
    // Lengths come from servers, and may be as large as they like: their sum needs more room than one of them.
    private var completed: Int128 = 0
    private var decoded: Int128 = 0
    private var total: Int128 = 0
    /// Bytes that were transferred, those of attempts that were repeated included.
    private var moved: Int128 = 0
    private var hasNews = false
    private var isPublishing = false

    init(timeConstant: Duration = .seconds(3)) {
        rate = TransferRate(timeConstant: timeConstant)
    }

    mutating func add(expecting total: Int64?) -> Int {
        nextMember += 1
        let member = Member(total: total.map { max($0, 0) })
        members[nextMember] = member
        count(member, sign: 1)
        return nextMember
    }

    mutating func update(_ id: Int, _ progress: TransferProgress, total: Int64?) {
        guard let old = members[id] else { return }
        // A body that turns out longer than its length was not that long.
        let new = Member(
            completed: progress.completed, decoded: progress.decoded, total: total.map { max($0, progress.completed) })
        replace(old, by: new)
        members[id] = new
    }

    mutating func finish(_ id: Int) {
        guard let old = members.removeValue(forKey: id) else { return }
        finishedCount += 1
        replace(old, by: Member(completed: old.completed, decoded: old.decoded, total: old.completed))
    }

    /// Tells the rate how much has been moved by now.
    mutating func note(at time: Duration) {
        rate.record(Int64(clamping: moved), at: time)
        hasNews = true
    }

    func progress(at time: Duration) -> GroupProgress {
        let transfer = TransferProgress(
            completed: Int64(clamping: completed), total: unknownCount == 0 ? Int64(clamping: total) : nil,
            decoded: Int64(clamping: decoded))
        return GroupProgress(
            transfer: transfer, requestCount: members.count + finishedCount, finishedCount: finishedCount,
            bytesPerSecond: rate.bytesPerSecond(at: time),
            timeLeft: nextMember > 0 ? rate.timeLeft(for: transfer, at: time) : nil)
    }

    /// - Returns: Whether the caller is the one to publish.
    mutating func startPublishing() -> Bool {
        defer { isPublishing = true }
        return !isPublishing
    }

    mutating func nextToPublish(at time: Duration) -> GroupProgress? {
        isPublishing = hasNews
        hasNews = false
        return isPublishing ? progress(at: time) : nil
    }

    private mutating func replace(_ old: Member, by new: Member) {
        moved += Int128(max(new.completed - old.completed, 0))
        count(old, sign: -1)
        count(new, sign: 1)
    }

    private mutating func count(_ member: Member, sign: Int128) {
        completed += sign * Int128(member.completed)
        decoded += sign * Int128(member.decoded)
        if let length = member.total { total += sign * Int128(length) } else { unknownCount += Int(sign) }
    }
}
