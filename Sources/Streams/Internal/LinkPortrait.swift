import Synchronization

/// What mirrors of both halves of an operator show, as Combine's do.
///
/// It keeps nothing alive: what is gone with the end of the stream shows as nil.
@usableFromInline
struct LinkPortrait {
    @usableFromInline let children: (UpstreamLink) -> [Mirror.Child]

    @usableFromInline
    init(children: @escaping (UpstreamLink) -> [Mirror.Child]) {
        self.children = children
    }

    /// The subscriber.
    @usableFromInline static var subscriber: Self {
        Self { [("downstream", $0.subscriber as Any)] }
    }

    /// The subscriber, and what is remembered from one value to the next.
    @inlinable
    static func subscriber<Value>(and label: String, _ memory: SerialCell<Value>) -> Self {
        Self { [weak memory] link in
            [("downstream", link.subscriber as Any), (label, memory.map { $0.value as Any } ?? Any?.none as Any)]
        }
    }

    /// What operators show that go on until something is thrown.
    @inlinable
    static func status<Value>(and label: String, _ memory: SerialCell<Value>) -> Self {
        Self { [weak memory] link in
            [
                ("downstream", link.subscriber as Any), ("status", link.phase.load(ordering: .relaxed)),
                (label, memory.map { $0.value as Any } ?? Any?.none as Any),
            ]
        }
    }

    /// What operators show that run values through a coder.
    @usableFromInline static var coding: Self {
        Self { link in
            [
                ("downstream", link.subscriber as Any), ("finished", !link.isOpen),
                ("upstreamSubscription", link.upstream as Any),
            ]
        }
    }

    /// What operators show that make one value out of many.
    @usableFromInline static var reduction: Self {
        Self { link in
            [
                ("downstream", link.subscriber as Any), ("result", Any?.none as Any), ("initial", Any?.none as Any),
                ("status", link.phase.load(ordering: .relaxed)),
            ]
        }
    }
}
