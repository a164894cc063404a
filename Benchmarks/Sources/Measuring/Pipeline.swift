/// Work that is measured in several libraries.
public struct Pipeline: Sendable {
    /// The unit of the work.
    public enum Unit: String, Codable, Sendable {
        case event
        case delivery
        case subscription
        case attempt
        case request
        case snapshot
    }

    public let name: String
    public let unit: Unit

    /// The number of units of a measurement.
    public let count: Int

    /// Whether all work runs on the caller's thread, so that no value should need an allocation.
    public let isSynchronous: Bool

    /// Runs a number of units, and returns a checksum of the results.
    public let run: @Sendable (Int) -> UInt64

    /// - Parameters:
    ///   - name: The name, which is the same in all libraries.
    ///   - count: The number of units of a measurement: enough for some milliseconds.
    ///   - run: The closure that runs a number of units, and adds the results to a checksum.
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
