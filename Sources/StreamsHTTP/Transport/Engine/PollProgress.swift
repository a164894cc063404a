/// The time up to which every socket is known to have been read.
///
/// Timeouts are judged by this time rather than by the clock. In a process that was stopped for a while, by a signal or
/// with the machine, the bytes of the peers wait in the sockets when it continues.
struct PollProgress {
    private(set) var time = MonotonicTime.now
    /// The start of the first of consecutive polls that could not report all events; `nil` after a complete poll.
    private var begin: MonotonicTime?
    private var eventCount = 0

    /// Records a poll that began at `start`. The capacity is the maximum number of events of a poll.
    mutating func record(start: MonotonicTime, events: Int, capacity: Int, socketCount: Int) {
        eventCount += events
        let begin = begin ?? start
        // Polls report ready sockets in turn.
        let isComplete = events < capacity || eventCount > socketCount
        if isComplete { (time, eventCount) = (begin, 0) }
        self.begin = isComplete ? nil : begin
    }
}
