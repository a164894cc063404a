import Synchronization

/// The subscription of a checkpoint: it reports its beginning and its end, once each.
@usableFromInline
// Safe because what it adds is constant or atomic.
final class CheckpointLink: UpstreamLink, @unchecked Sendable {
    private enum Watch: UInt8, AtomicRepresentable {
        case ahead
        case going
        case over
    }

    @usableFromInline let tally = SubscriptionTally()
    private let site: WatchedSite
    private let watch = Atomic<Watch>(.ahead)

    @usableFromInline
    init(_ site: WatchedSite) {
        self.site = site
        super.init(.checkpoint)
    }

    deinit {
        end(.abandoned)
    }

    @usableFromInline
    func begin() {
        site.begin(tally)
        watch.store(.going, ordering: .releasing)
        StreamLog.report(.started, of: tally, at: site)
    }

    @usableFromInline
    func end(_ ending: SubscriptionEnding) {
        let exchange = watch.compareExchange(expected: .going, desired: .over, ordering: .acquiringAndReleasing)
        guard exchange.exchanged else { return }
        site.end(tally, by: ending)
        StreamLog.report(StreamLog.Event(ending), of: tally, at: site)
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        if isActive { tally.countRequest(demand) }
        super.request(demand)
    }

    @usableFromInline
    override func cancel() {
        // Nothing else can be the end from here on.
        guard let upstream = detach() else { return }
        end(.cancelled)
        upstream.cancel()
    }
}
