import Synchronization

/// What mirrors of both halves of an operator show, as Combine's do.
///
/// It keeps nothing alive: what is gone with the end of the stream shows as nil. Nor does it read what the upstream's signals may be
/// changing at the moment: see ``beginning(of:_:_:)``.
@usableFromInline
struct LinkPortrait {
    @usableFromInline let children: (KeepingLink) -> [Mirror.Child]

    @usableFromInline
    init(children: @escaping (KeepingLink) -> [Mirror.Child]) {
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
            [("downstream", link.subscriber as Any), (label, beginning(of: memory, link) { $0 })]
        }
    }

    /// What an operator remembers before the upstream is asked for values, and the type of it from then on: it belongs to those
    /// values, which go without a lock.
    ///
    /// - Parameter part: Makes of it what is shown, under a lock.
    @inlinable
    static func beginning<Value, Part>(
        of memory: SerialCell<Value>?, _ link: KeepingLink, _ part: (Value) -> Part
    ) -> Any {
        guard let memory else { return Part?.none as Any }
        return link.whileUnasked { part(memory.value) }.map { $0 as Any } ?? Part.self
    }

    /// What operators show that go on until something is thrown.
    @inlinable
    static func status<Value>(and label: String, _ memory: SerialCell<Value>) -> Self {
        Self { [weak memory] link in
            [
                ("downstream", link.subscriber as Any), ("status", link.phase.load(ordering: .relaxed)),
                (label, beginning(of: memory, link) { $0 }),
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
