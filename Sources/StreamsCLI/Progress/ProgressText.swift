import StreamsHTTP

/// The text of a transfer's progress, for a line that is redrawn and for a log.
struct ProgressText {
    /// The name of the transfer, such as `download`.
    let label: String
    let progress: TransferProgress
    /// The bytes of the progress that were transferred before.
    var resumed: Int64 = 0
    /// The number of bytes per second, if known.
    let rate: Double?
    /// The time left, if known.
    let left: Duration?
    let elapsed: Duration

    /// One line of a terminal: `download  42% [=====>      ]  4.1 MiB of 9.8 MiB  1.2 MiB/s  0:05 left`.
    func bar(width: Int) -> String {
        // The last column stays free, as some terminals wrap when it is written.
        let width = max(width - 1, 0)
        let facts = facts.joined(separator: "  ")
        guard let fraction = progress.fraction else { return String("\(label)  \(facts)".prefix(width)) }
        let start = "\(label) \(Self.percent(fraction))"
        // Subtracts spaces and brackets. The facts have room to grow, so that the bar keeps its size.
        let room = min(width - start.count - max(facts.count, 44) - 5, 40)
        guard room >= 8 else { return String("\(start)  \(facts)".prefix(width)) }
        let filled = Int(fraction * Double(room))
        let bar = String(repeating: "=", count: filled) + (filled < room ? ">" : "")
        return "\(start) [\(bar.padded(to: room))]  \(facts)"
    }

    /// One line of a log: `download: 42%, 4.1 MiB of 9.8 MiB, 1.2 MiB/s, 0:05 left`.
    var logLine: String {
        let percent = progress.fraction.map { [Self.percent($0).trimmed] } ?? []
        return "\(label): " + (percent + facts).joined(separator: ", ")
    }

    /// The last line: `download: 9.8 MiB in 8.2 s, 1.2 MiB/s`.
    var summary: String {
        let seconds = max(elapsed / .seconds(1), 0.001)
        let received = max(progress.completed - resumed, 0)
        let size = ByteCount(received).description
        let rate = ByteCount(rate: Double(received) / seconds).description
        return "\(label): \(size) in \(Self.tenths(seconds)) s, \(rate)/s"
    }

    private var facts: [String] {
        var facts: [String] = []
        let done = ByteCount(progress.completed).description
        facts.append(progress.total.map { "\(done) of \(ByteCount($0))" } ?? done)
        if let rate { facts.append("\(ByteCount(rate: rate))/s") }
        if let left = secondsLeft { facts.append("\(Self.clock(left)) left") }
        return facts
    }

    private var secondsLeft: Int? {
        // An estimate of more than a hundred hours is of no use.
        guard let left, left > .zero, left < .seconds(360_000) else { return nil }
        return Int((left / .seconds(1)).rounded(.up))
    }

    private static func percent(_ fraction: Double) -> String {
        let digits = "\(Int(fraction * 100))"
        return String(repeating: " ", count: max(3 - digits.count, 0)) + digits + "%"
    }

    private static func clock(_ seconds: Int) -> String {
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        let end = (seconds % 60).twoDigits
        return hours > 0 ? "\(hours):\(minutes.twoDigits):\(end)" : "\(minutes):\(end)"
    }

    private static func tenths(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

extension Int {
    fileprivate var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }
}

extension String {
    fileprivate var trimmed: String { String(drop { $0 == " " }) }

    fileprivate func padded(to length: Int) -> String {
        self + String(repeating: " ", count: max(length - count, 0))
    }
}
