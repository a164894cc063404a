extension RequestOptions {
    /// The options of a request for the client's cache (``HTTPCache``). Without a cache, they have no effect.
    ///
    /// ```swift
    /// configuration.options.cache.staleIfError = .seconds(86_400)
    /// let request = HTTPRequest(.get, "/rates").settingOptions { $0.cache.mode = .validated }
    /// ```
    ///
    /// The `Cache-Control` of a request is obeyed too (RFC 9111, section 5.2.1), and it is sent to the server.
    public struct Cache: OptionGroup, Hashable, Sendable, CustomReflectable {
        /// The use of the cache.
        public enum Mode: Hashable, Sendable {
            /// A stored response is used if it is fresh, or has been validated by the server (RFC 9111, section 4).
            case standard
            /// A stored response is used only if the server has validated it for this request, as with the request's
            /// `Cache-Control: no-cache`.
            case validated
            /// No stored response is used, and the response is not stored. Stored responses that it makes invalid are
            /// removed.
            case unstored
            /// Only a stored response is used, and nothing is sent. It may be stale for up to
            /// ``RequestOptions/Cache/staleIfError``. Without one, the response has the status 504 (Gateway Timeout),
            /// as with the request's `Cache-Control: only-if-cached`.
            case storedOnly
        }

        struct Values: Hashable, Sendable {
            var mode = Mode.standard
            var staleIfError: Duration?
        }

        var settings = unset

        private static let unset = Settings(Values())

        /// Creates options of which none is set.
        public init() {}

        /// The use of the cache; ``Mode/standard`` by default.
        public var mode: Mode {
            get { settings.mode }
            set { settings.mode = newValue }
        }

        /// The time for which a response that has become stale is still used if the server fails: if it cannot be
        /// reached, or responds with 500, 502, 503 or 504 (RFC 5861, section 4). `nil`, the default, is the time that
        /// the response or the request itself allows by `stale-if-error`; otherwise, the longest of them counts.
        ///
        /// A response whose server requires its validation (`must-revalidate` or `no-cache`) is not used.
        public var staleIfError: Duration? {
            get { settings.staleIfError }
            set { settings.staleIfError = newValue }
        }

        public var customMirror: Mirror { Mirror(options: self) }
    }
}
