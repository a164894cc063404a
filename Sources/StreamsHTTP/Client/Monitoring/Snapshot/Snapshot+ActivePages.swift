extension HTTPClient.Snapshot {
    /// The pages of a list under way, of one subscription.
    public struct ActivePages: Hashable, Sendable {
        /// The call site of the nearest `checkpoint(_:fileID:line:)` that has subscribed to them, the same as in the
        /// `Census`; `nil` if there is none.
        public let callSite: CallSite?
        /// The method of the request for the page under way, or for the next one.
        public let method: HTTPMethod
        /// The URL of that request, without secrets (``HTTPClient/Configuration/redaction``).
        public let url: String
        /// Whether a page is under way: its request is one of ``HTTPClient/Snapshot/requests``. If not, the next one
        /// waits for demand.
        public let isRequesting: Bool
        /// The time since the first demand, by the client's clock.
        public let age: Duration
        /// The number of pages that were delivered.
        public let pages: Int
    }
}
