import Measuring

#if OPENCOMBINE
import OpenCombine
#else
import Streams
#endif

/// Keeps many subscriptions of one subject alive while a closure measures them.
public func withLiveSubscriptions(_ count: Int, _ body: () -> Void) {
    let subject = PassthroughSubject<Int, Never>()
    let sum = Total()
    var subscriptions: [AnyCancellable] = []
    subscriptions.reserveCapacity(count)
    for _ in 0..<count {
        subscriptions.append(subject.map { $0 &* 3 }.filter { $0 & 1 == 0 }.sink { sum.value &+= $0 })
    }
    body()
    subject.send(2)
    precondition(sum.value == count * 6, "each subscription is to get the value")
}

// Safe because one thread uses it.
private final class Total: @unchecked Sendable {
    var value = 0
}
