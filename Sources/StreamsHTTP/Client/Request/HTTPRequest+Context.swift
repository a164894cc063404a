import Synchronization

extension HTTPRequest {
    /// The state of a request when an interceptor is called for it.
    public struct Context: Sendable {
        /// The number of the request, unique in the process. A request is one subscription to a stream, or one `async`
        /// call, with all its attempts.
        public let id: Int
        /// The request that was last passed to the transport in this attempt, or the original request if none has been.
        /// It lacks the cookies of ``HTTPClient/Configuration/cookies``, which are added to it last.
        public let request: TransportRequest
        /// The number of the attempt, from 1.
        public let attempt: Int
        /// The URLs that have redirected in this attempt, in order, as they were before interceptors adapted the
        /// requests.
        public let redirects: [URL]
        /// The head of the response that has redirected last in this attempt; `nil` without redirects. When
        /// the next request is adapted, it is the one that leads there.
        public let redirect: HTTPResponse<Void>?
        /// The request's options, merged with its client's.
        public let options: RequestOptions
        /// Whether another attempt is possible: the body can be sent again, and no part of a response's body has been
        /// delivered.
        public let isRepeatable: Bool

        private static let lastID = Atomic<Int>(0)

        static func nextID() -> Int {
            lastID.add(1, ordering: .relaxed).newValue
        }
    }
}

extension HTTPRequest.Context: CustomReflectable {
    /// The properties, without secrets.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "id": id, "request": request, "attempt": attempt,
                "redirects": redirects.map { Redaction.usual.redacting($0) }, "redirect": redirect as Any,
                "options": options, "isRepeatable": isRepeatable,
            ], displayStyle: .struct)
    }
}
