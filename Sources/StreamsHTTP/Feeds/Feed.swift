/// A cold publisher of the elements of a feed: a subscription that connects again, and resumes where it was.
///
/// ```
///        element──element──✗  ···  element──element──element──✗  ···  element──
/// ```
///
/// ``events`` publishes the connections, delays and gaps between the elements as well.
///
/// **Demand** Nothing is sent before there is demand. Without demand, the server waits: at most 1 MiB of the body and
/// one element are buffered.
/// **Completion** When the server ends the feed (status 204), when it need not connect again
/// (``FeedOptions/ReconnectPolicy``), or when the client shuts down; the element that is being delivered comes before.
/// Otherwise with an ``HTTPError``.
/// **Cancellation** Ends the connection or the wait for the next one. Nothing is delivered afterwards.
/// **Threads** Elements are delivered serially, on a system thread or on that which requests them. A subscriber may
/// block it.
public struct Feed<Element: Sendable>: Publisher, Sendable {
    public typealias Output = Element
    public typealias Failure = HTTPError

    /// The elements of the feed, and the events between them.
    public let events: Events

    @inlinable
    public func receive<Downstream: Subscriber>(
        subscriber: Downstream
    ) where Downstream.Input == Element, Downstream.Failure == HTTPError {
        events.compactMap { event in
            if case .element(let element) = event { element } else { nil }
        }.receive(subscriber: subscriber)
    }

    /// The elements as an asynchronous sequence, which throws ``HTTPError``.
    ///
    /// ```swift
    /// for try await event in client.serverSentEvents(for: request).values { print(event.data) }
    /// ```
    ///
    /// Each call of `next()` requests one element. When the iterating task is cancelled, the feed is cancelled, and the
    /// iteration throws an error whose reason is ``HTTPError/Reason/cancelled``.
    public var values: AsyncTypedThrowingPublisher<Self> {
        AsyncTypedThrowingPublisher(self, cancellation: events.cancellation)
    }
}

extension Feed {
    /// A cold publisher of the events of a feed: the publisher behind ``Feed/events``.
    ///
    /// **Demand** As of ``Feed``; each event consumes one unit of demand.
    /// **Completion** As of ``Feed``.
    /// **Cancellation** As of ``Feed``.
    /// **Threads** As of ``Feed``.
    public struct Events: Publisher, Sendable {
        public typealias Output = Event
        public typealias Failure = HTTPError

        /// Returns a subscription for a subscriber. A closure is specialised where it is created, for the type of the
        /// source.
        private let makeSubscription: @Sendable (AnySubscriber<Event, HTTPError>) -> any Subscription
        private let summary: HTTPError.RequestSummary

        init<Source: FeedSource<Element>>(
            source: Source, client: HTTPClient, options: FeedOptions, summary: HTTPError.RequestSummary
        ) {
            makeSubscription = {
                SeriesSubscription(
                    FeedSeries(source, client: client, options: options, summary: summary), downstream: $0)
            }
            self.summary = summary
        }

        @inlinable
        public func receive<Downstream: Subscriber>(
            subscriber: Downstream
        ) where Downstream.Input == Event, Downstream.Failure == HTTPError {
            start(AnySubscriber(subscriber))
        }

        @usableFromInline
        func start(_ subscriber: AnySubscriber<Event, HTTPError>) {
            subscriber.receive(subscription: makeSubscription(subscriber))
        }

        /// The events as an asynchronous sequence, which throws ``HTTPError``; see ``Feed/values``.
        public var values: AsyncTypedThrowingPublisher<Self> {
            AsyncTypedThrowingPublisher(self, cancellation: cancellation)
        }

        fileprivate var cancellation: HTTPError { HTTPError(.cancelled, request: summary) }
    }
}

extension Feed: CustomReflectable {
    /// The method and URL of the first request, without secrets.
    public var customMirror: Mirror { Mirror(self, children: events.children) }
}

extension Feed.Events: CustomReflectable {
    /// The method and URL of the first request, without secrets.
    public var customMirror: Mirror { Mirror(self, children: children) }

    fileprivate var children: KeyValuePairs<String, Any> { ["method": summary.method, "url": summary.url] }
}

extension Feed {
    /// The position in a feed, which its elements tell, and by which a request resumes.
    ///
    /// A position that cannot be sent is left out, and a ``FeedGap/notResumable`` reports it: one with control
    /// characters in a header field, or one of more than 8,000 bytes.
    ///
    /// ```swift
    /// let cursor = Feed<WatchEvent>.Cursor.query("resourceVersion") { $0.object.metadata.resourceVersion }
    /// ```
    public struct Cursor: Sendable {
        /// The position of the first connection; `nil` for none.
        public var start: String?
        let position: @Sendable (Element) -> String?
        let resume: @Sendable (HTTPRequest, String) -> HTTPRequest

        /// Creates a cursor.
        ///
        /// - Parameters:
        ///   - position: Returns the position behind an element; `nil` if the element does not change it.
        ///   - resume: Returns the request that resumes at a position.
        public init(
            position: @escaping @Sendable (Element) -> String?,
            resume: @escaping @Sendable (HTTPRequest, String) -> HTTPRequest
        ) {
            self.position = position
            self.resume = resume
        }

        /// Returns a cursor that a parameter of the query carries.
        ///
        /// - Parameters:
        ///   - name: The name of the parameter.
        ///   - position: Returns the position behind an element; `nil` if the element does not change it.
        public static func query(
            _ name: String, _ position: @escaping @Sendable (Element) -> String?
        ) -> Cursor {
            Cursor(position: position) { $0.settingQueryItem(name, $1) }
        }

        /// Returns a cursor that a header field carries.
        ///
        /// - Parameters:
        ///   - name: The name of the field.
        ///   - position: Returns the position behind an element; `nil` if the element does not change it.
        public static func header(
            _ name: String, _ position: @escaping @Sendable (Element) -> String?
        ) -> Cursor {
            Cursor(position: position) { $0.settingHeader(name, $1) }
        }
    }
}
