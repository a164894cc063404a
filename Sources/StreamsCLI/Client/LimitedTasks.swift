extension Sequence where Element: Sendable {
    /// Performs an operation for each element, in tasks of which a limited number run at a time. A task that is cancelled
    /// begins no more of them.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of tasks, from 1 up.
    ///   - operation: The operation.
    ///   - ended: A closure that receives each result as it comes, with the place of the element, and returns whether more
    ///     operations begin.
    func performEach<Result: Sendable>(
        atMost limit: Int, _ operation: @escaping @Sendable (Element) async -> Result, ended: (Int, Result) -> Bool
    ) async {
        await withTaskGroup(of: (Int, Result).self) { tasks in
            for (index, element) in enumerated() {
                if index >= limit, let (place, result) = await tasks.next(), !ended(place, result) { break }
                guard !Task.isCancelled else { break }
                tasks.addTask { (index, await operation(element)) }
            }
            for await (place, result) in tasks { _ = ended(place, result) }
        }
    }
}
