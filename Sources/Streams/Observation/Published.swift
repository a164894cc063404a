/// A property wrapper that publishes the values of a property.
///
/// ```swift
/// final class Weather: ObservableObject {
///     @Published var temperature: Double
///
///     init(temperature: Double) { self.temperature = temperature }
/// }
///
/// let weather = Weather(temperature: 20)
/// let cancellable = weather.$temperature.sink { print($0) }     // prints 20
/// weather.temperature = 25                                      // prints 25
/// ```
///
/// Setting the property first sends a signal from the object's ``ObservableObject/objectWillChange``, then delivers the
/// value to the subscribers of the property's publisher, and changes the property after that. So a subscriber that
/// reads the property reads the previous value, as in Combine. If a property is set while the object is delivering the
/// signal of another change, from inside a subscriber or on another thread, its signal is delivered after that one,
/// possibly after the change.
///
/// The property may be read and set on any thread, also from inside a subscriber. Values that are set meanwhile are
/// delivered in order, one after another. The property ends up with the last value delivered.
///
/// Use it only for properties of classes: copies of a `Published` share one value.
@propertyWrapper
public struct Published<Value> {
    let storage: PublishedStorage<Value>

    /// Creates the property with the initial value of its declaration.
    public init(wrappedValue: Value) {
        storage = PublishedStorage(wrappedValue)
    }

    /// Creates the property with an initial value.
    public init(initialValue: Value) {
        self.init(wrappedValue: initialValue)
    }

    /// A publisher of the property's current value and of every value that the property is set to.
    ///
    /// There may be any number of subscribers. A subscriber without demand misses values; when it requests one, it
    /// receives the newest. The publisher does not complete.
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
    /// The publisher can be set because ``Streams/Publisher/assign(to:)`` takes it `inout`. Setting it to another
    /// property's publisher changes nothing, as in Combine.
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

    /// Accesses the property. The compiler calls this subscript for each use of the property.
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

    func attach(_ publisher: ObservableObjectPublisher) -> ObservableObjectPublisher {
        storage.observation.withLock { observation in
            let attached = observation ?? publisher
            observation = attached
            return attached
        }
    }
}

/// The storage of a ``Published`` property: the subject that publishes the values, and the value that is read, which is
/// the previous one while the subject delivers.
final class PublishedStorage<Value> {
    let subject: CurrentValueSubject<Value, Never>

    /// The publisher of the object that the property belongs to, or nil until it is first accessed.
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
        // Other threads may have set the property meanwhile. The last one to acquire the lock stores the newest value,
        // because the subject's value is read under the same lock.
        let previous = visible.withLock { [subject] visible in
            exchange(&visible, with: subject.value)
        }
        withExtendedLifetime(previous) {}
    }
}

// Safe because locks protect all mutable state.
extension PublishedStorage: @unchecked Sendable where Value: Sendable {}
