/// An activity that can be stopped before it ends by itself.
public protocol Cancellable {
    /// Stops the activity and releases what it holds.
    ///
    /// Further calls, from any thread or from inside a callback, do nothing.
    func cancel()
}

extension Cancellable {
    /// Stores this activity in a collection. Removing it from there, or releasing the collection, cancels it.
    public func store<C>(in collection: inout C) where C: RangeReplaceableCollection, C.Element == AnyCancellable {
        AnyCancellable(self).store(in: &collection)
    }

    /// Stores this activity in a set. Removing it from there, or releasing the set, cancels it.
    public func store(in set: inout Set<AnyCancellable>) { AnyCancellable(self).store(in: &set) }
}
