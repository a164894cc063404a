/// A subscription to a request.
protocol RequestHandle: AnyObject, Subscription, Sendable {
    /// Delivers the pending events. Called once for each ``EventSink/scheduleDelivery(of:)``.
    func deliver()
}

extension RequestPlan {
    /// Creates a subscription to the planned request, or to an exchange that it shares with identical requests.
    func subscription(_ downstream: any EventSink) -> any RequestHandle {
        guard let sharing else { return RequestSubscription(self, downstream: downstream) }
        return SharedSubscription(self, sharing, downstream: downstream)
    }
}
