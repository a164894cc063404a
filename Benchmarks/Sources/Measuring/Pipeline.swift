/// A piece of work that several libraries do, to be measured.
public struct Pipeline: Sendable {
    /// What one unit of the work is.
    public enum Unit: String, Codable, Sendable {
        case event
        case delivery
        case subscription
        case attempt
        case request
    }

    public let name: String
    public let unit: Unit

    /// How many units are measured at a time.
    public let count: Int

    /// Whether what runs is the caller's thread alone, so that no value should cost an allocation.
    public let isSynchronous: Bool

    /// Does so many units, and returns a checksum of what came out.
    public let run: @Sendable (Int) -> UInt64

    /// - Parameters:
    ///   - name: The same in all libraries.
    ///   - count: How many units are measured at a time: enough for some milliseconds.
    ///   - run: Does so many units, and adds what comes out to a checksum.
    public init(
        _ name: String, _ unit: Unit = .event, count: Int = 200_000, isSynchronous: Bool = true,
        _ run: @escaping @Sendable (Int, Checksum) -> Void
    ) {
        self.name = name
        self.unit = unit
        self.count = count
        self.isSynchronous = isSynchronous
        self.run = { count in
            let checksum = Checksum()
            defer { checksum.free() }
            run(count, checksum)
            return checksum.value
        }
    }
}
