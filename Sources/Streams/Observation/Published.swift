/// A property that publishes its values.
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
/// Setting the property first sends a signal by the object's ``ObservableObject/objectWillChange``, then delivers the
/// value to the subscribers, and then changes the property. So a subscriber that reads the property still finds the
/// previous value, as in Combine. If the property is set while the object is signalling another change, its signal
/// follows that one and may come after the change.
///
/// The property can be read and set on any thread, also inside a subscriber. Values are delivered in order, and the last
/// one delivered is the property's value. It has to be a property of a class: copies of a `Published` are one property.
@propertyWrapper
public struct Published<Value> {
    let storage: PublishedStorage<Value>

    /// Creates the property.
    ///
    /// - Parameter wrappedValue: The value in the property's declaration.
    public init(wrappedValue: Value) {
        storage = PublishedStorage(wrappedValue)
    }

    /// Creates the property.
    ///
    /// - Parameter initialValue: The first value.
    public init(initialValue: Value) {
        self.init(wrappedValue: initialValue)
    }

    /// A publisher of the property's value and of each value that it is set to.
    ///
    /// A subscriber without demand misses values; when it requests one, it receives the newest. The publisher never
    /// completes.
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
    /// It can be set because ``Streams/Publisher/assign(to:)`` takes an `inout` parameter. Setting it to another
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

    /// Returns or sets the property's value. The compiler uses this subscript for the property.
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

/// The storage of a ``Published`` property: the subject that publishes its values, and the value that the property
/// returns, which changes after the subject has delivered.
final class PublishedStorage<Value> {
    let subject: CurrentValueSubject<Value, Never>

    /// The publisher of the property's object, nil until it is first used.
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
        // Other threads may have set the property meanwhile. The last one stores the newest value, because it reads that
        // under the same lock.
        let previous = visible.withLock { [subject] visible in
            exchange(&visible, with: subject.value)
        }
        withExtendedLifetime(previous) {}
    }
}

// Safe because locks guard its state.
extension PublishedStorage: @unchecked Sendable where Value: Sendable {}
