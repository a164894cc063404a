/// Where a ``Published`` property lives: the subject that publishes it, and what it reads as, which lags behind while
/// the subject delivers.
final class PublishedStorage<Value> {
    let subject: CurrentValueSubject<Value, Never>

    /// The publisher of the object that the property belongs to, once somebody watches that.
    let observation = Locked(ObservableObjectPublisher?.none)

    private let visible: Locked<Value>

    init(_ value: Value) {
        subject = CurrentValueSubject(value, name: .publishedSubject)
        visible = Locked(value)
    }

    var value: Value { visible.withLock { $0 } }

    func set(_ newValue: Value) {
        observation.withLock { $0 }?.send()
        subject.send(newValue)
        // Others may have set the property meanwhile. Whoever comes last takes over the newest value, as it is asked
        // for under the same lock.
        let previous = visible.withLock { [subject] visible in
            exchange(&visible, with: subject.value)
        }
        withExtendedLifetime(previous) {}
    }
}

// Safe because everything in it is behind locks.
extension PublishedStorage: @unchecked Sendable where Value: Sendable {}
