extension HTTPClient {
    /// Returns the pages of a list, of which each response leads to the next request.
    ///
    /// ```swift
    /// let pages = client.pages(for: ListOrders()) { call, response in
    ///     response.body.next.map { ListOrders(cursor: $0) }
    /// }
    /// for try await page in pages.values { print(page.value.orders) }
    /// ```
    ///
    /// Each page is a request like any other, with the endpoint's own timeouts and ``RetryPolicy``: a failure in page 7
    /// is retried without requesting the pages before it. To go on after a restart, begin with the call that the stored
    /// cursor leads to. <doc:Pages> has examples.
    ///
    /// **Demand** Nothing is sent before there is demand, and for `n` demanded pages, `n` requests are sent.
    /// **Completion** After the page that has no next one, or with an ``HTTPError``, such as
    /// ``HTTPError/Redirect/loop`` if the next request has a safe method (``HTTPMethod/isSafe``) and has been made
    /// before. When the client shuts down, the page under way is delivered before
    /// ``HTTPError/InvalidRequest/clientShutDown``.
    /// **Cancellation** Ends the exchange under way. Nothing is delivered afterwards.
    /// **Threads** Pages are delivered serially, on a system thread or on that which requests them. A subscriber may
    /// block it.
    ///
    /// - Parameters:
    ///   - endpoint: The call for the first page.
    ///   - maxPages: The maximum number of pages; one more fails with ``HTTPError/Redirect/tooMany``. `nil` is no
    ///     limit, and less than one is one.
    ///   - next: Returns the call for the next page, made from a call and the page that answers it; `nil` ends the
    ///     list. Called once for each page before that is delivered, on the thread that delivers it; must return
    ///     quickly.
    public func pages<Call: Endpoint>(
        for endpoint: Call, maxPages: Int? = nil,
        next: @escaping @Sendable (_ call: Call, _ page: HTTPResponse<Call.Response>) -> Call?
    ) -> some Publisher<HTTPResponse<Call.Response>.Page, HTTPError> where Call.Response: Sendable {
        PagePublisher(client: self, first: .page(of: endpoint, client: self, next: next), maxPages: maxPages)
    }

    /// Returns the pages of a list, undecoded, of which each response leads to the next request.
    ///
    /// Demand, completion, cancellation and threads are those of `pages(for:maxPages:next:)` for an endpoint. Each page
    /// is collected up to ``RequestOptions/maxBodySize``.
    ///
    /// - Parameters:
    ///   - request: The request of the first page.
    ///   - maxPages: The maximum number of pages; one more fails with ``HTTPError/Redirect/tooMany``. `nil` is no
    ///     limit, and less than one is one.
    ///   - next: Returns the request of the next page, made from a request and the page that answers it; `nil` ends the
    ///     list.
    public func pages(
        for request: HTTPRequest, maxPages: Int? = nil,
        next: @escaping @Sendable (_ request: HTTPRequest, _ page: HTTPResponse<Data>) -> HTTPRequest?
    ) -> some Publisher<HTTPResponse<Data>.Page, HTTPError> {
        pages(for: DecodedRequest<Data>(request: request), maxPages: maxPages) { call, page in
            next(call.request, page).map { DecodedRequest(request: $0) }
        }
    }

    /// Returns the pages of a list, of which each links to the next one by its `Link` field (RFC 8288).
    ///
    /// ```swift
    /// for try await page in client.linkedPages(for: ListIssues(), from: store.link).values {
    ///     store.save(page.value, next: page.next?.target)
    /// }
    /// ```
    ///
    /// The request of a linked page is a GET, or a HEAD if the first one is, with the header fields and options of the
    /// one before, without its body and query. A link is followed within the origin of its response, and between the
    /// origins of the client (``HTTPClient/Configuration/credentialOrigins``). A link to any other origin fails with
    /// ``HTTPError/Redirect/leavesOrigin``, and one from `https` to `http` with ``HTTPError/Redirect/insecure``, when
    /// the page is demanded.
    ///
    /// Demand, completion, cancellation and threads are those of `pages(for:maxPages:next:)`.
    ///
    /// - Parameters:
    ///   - endpoint: The call for the first page.
    ///   - link: The link to begin with instead, such as the target of an earlier page's ``HTTPResponse/Page/next``.
    ///     The rules for links hold for it, as if the endpoint's own URL had it; `nil` for the first page.
    ///   - maxPages: The maximum number of pages; one more fails with ``HTTPError/Redirect/tooMany``. `nil` is no
    ///     limit, and less than one is one.
    public func linkedPages<Call: Endpoint>(
        for endpoint: Call, from link: String? = nil, maxPages: Int? = nil
    ) -> some Publisher<HTTPResponse<Call.Response>.Page, HTTPError> where Call.Response: Sendable {
        PagePublisher(client: self, first: .linkedPage(of: endpoint, client: self, from: link), maxPages: maxPages)
    }

    /// Returns the pages of a list, undecoded, of which each links to the next one; see
    /// `linkedPages(for:from:maxPages:)` for an endpoint.
    ///
    /// - Parameters:
    ///   - request: The request of the first page.
    ///   - link: The link to begin with instead; `nil` for the first page.
    ///   - maxPages: The maximum number of pages; one more fails with ``HTTPError/Redirect/tooMany``. `nil` is no
    ///     limit, and less than one is one.
    public func linkedPages(
        for request: HTTPRequest, from link: String? = nil, maxPages: Int? = nil
    ) -> some Publisher<HTTPResponse<Data>.Page, HTTPError> {
        linkedPages(for: DecodedRequest<Data>(request: request), from: link, maxPages: maxPages)
    }
}

/// A cold publisher of the pages of a list. Each subscription begins with the first one.
private struct PagePublisher<Body: Sendable>: Publisher, Sendable {
    typealias Output = HTTPResponse<Body>.Page
    typealias Failure = HTTPError

    let client: HTTPClient
    let first: PageStep<Body>
    let maxPages: Int?

    func receive<Downstream: Subscriber>(
        subscriber: Downstream
    ) where Downstream.Input == Output, Downstream.Failure == HTTPError {
        let series = PageSeries(first, client: client, maxPages: maxPages)
        subscriber.receive(subscription: SeriesSubscription(series, downstream: AnySubscriber(subscriber)))
    }
}

extension PagePublisher: CustomReflectable {
    /// The method and URL of the first request, without secrets.
    var customMirror: Mirror {
        Mirror(self, children: ["method": first.plan.summary.method, "url": first.plan.summary.url])
    }
}

extension HTTPResponse {
    /// A page of a list that a server returns in parts, and the position after it.
    public struct Page {
        /// The number of the page in this subscription, from 1.
        public let number: Int
        /// The response with the decoded page.
        public let response: HTTPResponse
        /// The request of the next page; `nil` if this is the last one, and if the stream fails after this page
        /// because no request can be made for its link.
        ///
        /// A program that stores the position of linked pages stores its ``HTTPRequest/target``, and passes that to
        /// `linkedPages(for:from:maxPages:)` after a restart.
        public let next: HTTPRequest?

        /// The decoded page.
        public var value: Body { response.body }
    }
}

extension HTTPResponse.Page: Sendable where Body: Sendable {}
