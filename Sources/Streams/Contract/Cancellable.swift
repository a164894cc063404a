/// Something that can be stopped before it ends by itself.
public protocol Cancellable {
    /// Stops the activity and releases what it holds.
    ///
    /// Calling it again, from any thread or from inside a callback, does nothing more.
    func cancel()
}

extension Cancellable {
    /// Keeps this activity alive in a collection; removing it from there, or releasing the collection, cancels it.
    public func store<C>(in collection: inout C) where C: RangeReplaceableCollection, C.Element == AnyCancellable {
        AnyCancellable(self).store(in: &collection)
    }

    /// Keeps this activity alive in a set; removing it from there, or releasing the set, cancels it.
    public func store(in set: inout Set<AnyCancellable>) {
        AnyCancellable(self).store(in: &set)
    }
}
