import Streams

/// A scheduler that reports every use, for code that must not use its scheduler.
///
/// ```swift
/// let scheduler = UnusedScheduler { Issue.record("\($0)") }      // in XCTest: { XCTFail("\($0)") }
/// let model = SearchModel(scheduler: scheduler)
/// model.clear()                                                  // must schedule nothing
/// ```
///
/// A read of the time is a use. The scheduler releases scheduled actions without running them. It may be used from any
/// thread.
public final class UnusedScheduler: Scheduler, Sendable {
    public typealias SchedulerTimeType = TestScheduler.SchedulerTimeType

    /// This scheduler has no options.
    public typealias SchedulerOptions = Never

    /// A use of the scheduler.
    public struct Use: Hashable, Sendable, CustomStringConvertible {
        /// The method that was called.
        public enum Purpose: String, Hashable, Sendable {
            /// `now`.
            case time = "the time"
            /// `schedule(options:_:)`.
            case work = "work at once"
            /// `schedule(after:tolerance:options:_:)`.
            case laterWork = "work later"
            /// `schedule(after:interval:tolerance:options:_:)`.
            case repeatedWork = "repeated work"
        }

        /// The method that was called.
        public let purpose: Purpose

        /// The file that creates the scheduler.
        public let fileID: String
        /// The line that creates the scheduler.
        public let line: UInt

        public var description: String {
            "the scheduler created at \(fileID):\(line) must not be used, but was used for \(purpose.rawValue)"
        }
    }

    private let fileID: StaticString
    private let line: UInt
    private let onUse: @Sendable (Use) -> Void

    /// Creates a scheduler that reports every use.
    ///
    /// - Parameters:
    ///   - fileID: The file that creates the scheduler.
    ///   - line: The line that creates the scheduler.
    ///   - onUse: Called with each use, on the thread of the use. The default stops the process with a message.
    public init(
        fileID: StaticString = #fileID, line: UInt = #line,
        onUse: @escaping @Sendable (Use) -> Void = { preconditionFailure($0.description) }
    ) {
        self.fileID = fileID
        self.line = line
        self.onUse = onUse
    }

    public var now: SchedulerTimeType {
        report(.time)
        return .start
    }

    /// Zero. Reading it does not count as a use, because every call that schedules an action reads it first.
    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    @preconcurrency
    public func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
        report(.work)
    }

    @preconcurrency
    public func schedule(
        after date: SchedulerTimeType,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) {
        report(.laterWork)
    }

    @preconcurrency
    public func schedule(
        after date: SchedulerTimeType,
        interval: SchedulerTimeType.Stride,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        report(.repeatedWork)
        return AnyCancellable {}
    }

    private func report(_ purpose: Use.Purpose) {
        onUse(Use(purpose: purpose, fileID: fileID.description, line: line))
    }
}
