// Each property exists twice, because a typed error that is `Never` crashes the compiler in closures (Swift 6.3).

extension Publishers.First {
    /// The value, awaited; nil if the upstream completes without one, or if the task is cancelled.
    ///
    /// ```swift
    /// let page = try await client.publisher(for: GetPage()).first().value
    /// ```
    ///
    /// - Throws: The failure.
    @inlinable public var value: Output? {
        get async throws(Failure) {
            try await AwaitingIterator(self).next(isolation: #isolation)
        }
    }
}

extension Publishers.First where Failure == Never {
    /// The value, awaited; nil if the upstream completes without one, or if the task is cancelled.
    ///
    /// ```swift
    /// let reading = await readings.first().value
    /// ```
    @inlinable public var value: Output? {
        get async {
            await AwaitingIterator(self).next(isolation: #isolation)
        }
    }
}

extension Publishers.FirstWhere {
    /// The value, awaited; nil if the upstream completes without a match, or if the task is cancelled.
    ///
    /// - Throws: The failure.
    @inlinable public var value: Output? {
        get async throws(Failure) {
            try await AwaitingIterator(self).next(isolation: #isolation)
        }
    }
}

extension Publishers.FirstWhere where Failure == Never {
    /// The value, awaited; nil if the upstream completes without a match, or if the task is cancelled.
    ///
    /// ```swift
    /// let warm = await readings.first { $0 > 20 }.value
    /// ```
    @inlinable public var value: Output? {
        get async {
            await AwaitingIterator(self).next(isolation: #isolation)
        }
    }
}
