import Dispatch

/// Who has something to deliver.
protocol Deliverer: AnyObject, Sendable {
    /// Delivers what is there to deliver.
    func deliver()
}

/// A subscription as far as it is driven from outside.
protocol EventSource: Deliverer {
    /// Takes an input in.
    func handle(_ input: (inout ExchangeMachine) -> ExchangeMachine.Effects)
}

/// Where a subscriber is called.
enum EventDelivery: Sendable {
    /// On whichever thread has news, the transport's included: for subscribers that never run anybody else's code.
    case inline
    /// On a thread of the system's, one at a time for a subscription, so that a subscriber may take its time.
    case queued

    func run(_ source: any Deliverer) {
        switch self {
        case .inline: source.deliver()
        case .queued: DispatchQueue.global().async { source.deliver() }
        }
    }
}
