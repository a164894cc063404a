/// A property whose values are published.
///
/// ```swift
/// final class Weather: ObservableObject {
///     @Published var temperature: Double
///
///     init(temperature: Double) { self.temperature = temperature }
/// }
///
/// let weather = Weather(temperature: 20)
/// let watching = weather.$temperature.sink { print($0) }     // prints 20
/// weather.temperature = 25                                   // prints 25
/// ```
///
/// Setting the property first tells the object's ``ObservableObject/objectWillChange``, then the subscribers of the
/// property's publisher, and changes what the property reads as after that, as in Combine: a subscriber that reads the
/// property still finds the previous value. Only where a property is set while the object is already telling of another
/// change, from inside a subscriber or on another thread, does its signal wait for the one under way, and may come
/// after the change.
///
/// The property may be read and set on any thread, also from inside a subscriber. Values set meanwhile are delivered in
/// order, one after another; the last one delivered is what the property reads as in the end.
///
/// It is for properties of classes: copies of a `Published` are one and the same property.
@propertyWrapper
public struct Published<Value> {
    let storage: PublishedStorage<Value>

    /// Creates the property, from what it is declared with.
    public init(wrappedValue: Value) {
        storage = PublishedStorage(wrappedValue)
    }

    /// Creates the property.
    public init(initialValue: Value) {
        self.init(wrappedValue: initialValue)
    }

    /// Delivers the property's value, and then each one it is set to, to as many subscribers as there are.
    ///
    /// A subscriber without demand misses values; once it asks, it gets the newest. The publisher does not complete.
    public struct Publisher: Streams.Publisher {
        public typealias Output = Value
        public typealias Failure = Never

        let storage: PublishedStorage<Value>

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
            storage.subject.subscribe(subscriber)
        }
    }

    /// The publisher of the property, written with `$`.
    ///
    /// It can be set because ``Streams/Publisher/assign(to:)`` takes it `inout`. Setting it to another property's
    /// publisher changes nothing, as in Combine.
    public var projectedValue: Publisher {
        get { Publisher(storage: storage) }
        // swift-format-ignore
        set {}
    }

    @available(*, unavailable, message: "@Published is only available on properties of classes")
    public var wrappedValue: Value {
        get { preconditionFailure("unavailable") }
        // swift-format-ignore
        set { preconditionFailure("unavailable") }
    }

    /// What the compiler turns uses of the property into.
    public static subscript<EnclosingSelf: AnyObject>(
        _enclosingInstance object: EnclosingSelf,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Published<Value>>
    ) -> Value {
        get { object[keyPath: storageKeyPath].storage.value }
        set { object[keyPath: storageKeyPath].storage.set(newValue) }
    }
}

extension Published: Sendable where Value: Sendable {}
extension Published.Publisher: Sendable where Value: Sendable {}

extension Published: ObservedProperty {
    var objectWillChange: ObservableObjectPublisher? { storage.observation.withLock { $0 } }

    func announceChanges(by publisher: ObservableObjectPublisher) -> ObservableObjectPublisher {
        storage.observation.withLock { observation in
            let decided = observation ?? publisher
            observation = decided
            return decided
        }
    }
}

/// Where a ``Published`` property lives: the subject that publishes it, and what it reads as, which lags behind while
/// the subject delivers.
final class PublishedStorage<Value> {
    let subject: CurrentValueSubject<Value, Never>

    /// The publisher of the object that the property belongs to, once somebody watches that.
    let observation = Locked(ObservableObjectPublisher?.none)

    private let visible: Locked<Value>

    init(_ value: Value) {
        subject = CurrentValueSubject(value, name: "PublishedSubject")
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
