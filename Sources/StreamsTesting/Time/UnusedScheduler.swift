import Streams

/// A scheduler that a test hands over where none is to be used, and that fails when it is.
///
/// ```swift
/// let scheduler = UnusedScheduler { Issue.record("\($0)") }      // in XCTest: { XCTFail("\($0)") }
/// let model = SearchModel(scheduler: scheduler)
/// model.clear()                                                  // must not wait for anything
/// ```
///
/// Being asked for the time counts as use. Work it is given is reported, let go of and never run. May be used from any
/// thread.
public final class UnusedScheduler: Scheduler, Sendable {
    public typealias SchedulerTimeType = TestScheduler.SchedulerTimeType

    /// There are none.
    public typealias SchedulerOptions = Never

    /// What the scheduler was used for.
    public struct Use: Hashable, Sendable, CustomStringConvertible {
        /// What it was asked for.
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

        /// What it was asked for.
        public let purpose: Purpose

        /// Where the scheduler that was not to be used was made.
        public let fileID: String
        /// The line of that file where the scheduler was made.
        public let line: UInt

        public var description: String {
            "the scheduler made at \(fileID):\(line) was asked for \(purpose.rawValue), but is not to be used"
        }
    }

    private let fileID: StaticString
    private let line: UInt
    private let onUse: @Sendable (Use) -> Void

    /// - Parameters:
    ///   - fileID: Where the scheduler is made.
    ///   - line: Where the scheduler is made.
    ///   - onUse: Called with each use, on the thread of it. By default the process stops with a message.
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

    /// Zero. To ask for it is no use yet: what schedules work asks for it on the way.
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
