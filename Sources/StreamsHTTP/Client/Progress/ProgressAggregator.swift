/// The sums of the progress of a group's requests.
struct ProgressAggregator {
    /// The progress of a request as it counts in the sums.
    struct Member {
        fileprivate var completed: Int64 = 0
        fileprivate var decoded: Int64 = 0
        fileprivate var total: Int64?
    }

    private var rate: TransferProgress.Rate
    private var members: [Int: Member] = [:]
    private var nextMember = 0
    private var finishedCount = 0
    private var unknownCount = 0
    /// The number of requests that were announced, whether or not they have begun.
    private var announcedCount = 0
    /// The bytes of the announced requests; `nil` if they are unknown.
    private var announcedBytes: Int128? = 0
    // A server may declare any length, so the sum of lengths may overflow `Int64`.
    private var completed: Int128 = 0
    private var decoded: Int128 = 0
    private var total: Int128 = 0
    /// The bytes transferred, including those of attempts that were retried.
    private var moved: Int128 = 0
    private var hasNews = false
    private var isPublishing = false

    init(timeConstant: Duration = .seconds(3)) {
        rate = TransferProgress.Rate(timeConstant: timeConstant)
    }

    mutating func announce(_ count: Int, bytes: Int64?) {
        let count = max(count, 0)
        announcedCount = announcedCount.addingReportingOverflow(count).overflow ? .max : announcedCount + count
        announcedBytes = announcedBytes.flatMap { sum in bytes.map { sum + Int128(max($0, 0)) } }
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
        // A body may be longer than its declared length.
        let new = Member(
            completed: progress.completed, decoded: progress.decoded, total: total.map { max($0, progress.completed) })
        replace(old, by: new)
        members[id] = new
    }

    /// Counts bytes that were there before the request, which do not count as transferred.
    mutating func resume(_ id: Int, from offset: Int64, total: Int64?) {
        guard let old = members[id] else { return }
        let new = Member(completed: offset, decoded: offset, total: total.map { max($0, offset) })
        count(old, sign: -1)
        count(new, sign: 1)
        members[id] = new
    }

    /// - Returns: The progress that the finished request counts with; `nil` if it was finished before.
    mutating func finish(_ id: Int) -> Member? {
        guard let old = members.removeValue(forKey: id) else { return nil }
        finishedCount += 1
        let final = Member(completed: old.completed, decoded: old.decoded, total: old.completed)
        replace(old, by: final)
        return final
    }

    /// Starts a finished request anew.
    ///
    /// - Parameter final: The progress that it has counted with since its end.
    mutating func restart(_ id: Int, from final: Member, expecting total: Int64?) {
        finishedCount -= 1
        let member = Member(total: total.map { max($0, 0) })
        replace(final, by: member)
        members[id] = member
    }

    /// Records the transferred bytes for the rate.
    mutating func note(at time: Duration) {
        rate.record(Int64(clamping: moved), at: time)
        hasNews = true
    }

    func progress(at time: Duration) -> ProgressGroup.Progress {
        let transfer = TransferProgress(
            completed: Int64(clamping: completed), total: expectedTotal.map { Int64(clamping: $0) },
            decoded: Int64(clamping: decoded))
        return ProgressGroup.Progress(
            transfer: transfer, requestCount: max(begunCount, announcedCount), finishedCount: finishedCount,
            bytesPerSecond: rate.bytesPerSecond(at: time),
            timeLeft: nextMember > 0 ? rate.timeLeft(for: transfer, at: time) : nil)
    }

    private var begunCount: Int { members.count + finishedCount }

    /// The total number of bytes; `nil` if it is unknown.
    private var expectedTotal: Int128? {
        if unknownCount == 0, begunCount >= announcedCount { return total }
        // Until the length of each announced request is known, what was announced counts.
        guard let announcedBytes, begunCount <= announcedCount else { return nil }
        return max(announcedBytes, total, completed)
    }

    /// Starts publishing, unless another thread does.
    ///
    /// - Returns: Whether the caller must publish.
    mutating func startPublishing() -> Bool {
        defer { isPublishing = true }
        return !isPublishing
    }

    mutating func nextToPublish(at time: Duration) -> ProgressGroup.Progress? {
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
