extension HTTPClient {
    /// Cancels every request, feed, WebSocket and series of pages of this client that is under way: each fails with
    /// ``HTTPError/Reason/cancelled``, and delivers no event from then on. A request whose response is being delivered
    /// completes.
    ///
    /// Requests that wait in the queue or for a retry are cancelled too, and so are the requests in the background that
    /// update the cache. Later ones are not affected. Callable from any thread, also while an event is delivered.
    public func cancelAll() {
        requestQueue.cancelAll()
        feedQueue.cancelAll()
        pageQueue.cancelAll()
        backgroundExchanges.cancelAll()
    }

    /// Shuts down this client: requests, feeds and WebSockets from now on fail with
    /// ``HTTPError/InvalidRequest/clientShutDown``. Requests under way, also those that wait in the queue, continue
    /// until they end or the deadline passes. Feeds finish at once, after the element that is being delivered.
    /// WebSockets, also those of feeds, are closed with ``WebSocketCloseCode/goingAway``, and end when the peer has
    /// closed the connection, or after ``WebSocketOptions/closeTimeout``. A series of pages fails with
    /// ``HTTPError/InvalidRequest/clientShutDown``, after the page that is under way. Requests in the background that
    /// update the cache are cancelled.
    ///
    /// A renewal of credentials that such a request waits for is still made. The transport is not shut down, because
    /// other clients may use it. Callable any number of times, from any thread; each call has its own deadline.
    ///
    /// Returns when no exchange is under way and each subscriber has received its completion; to subscribers that share
    /// an exchange, the delivery has at least begun.
    ///
    /// - Parameter deadline: The time that requests and WebSockets under way may take, retries included; `nil` is no
    ///   limit. After that they are cancelled as by ``cancelAll()``, and so they are when the calling task is
    ///   cancelled.
    public func shutdown(deadline: Duration? = nil) async {
        requestQueue.close()
        feedQueue.close()
        pageQueue.close()
        feedQueue.finishAll()
        pageQueue.finishAll()
        backgroundExchanges.close()
        let timer = deadline.map { deadline in clock.schedule(deadline) { self.cancelAll() } }
        await withTaskCancellationHandler {
            await feedQueue.waitUntilEmpty()
            await pageQueue.waitUntilEmpty()
            await requestQueue.waitUntilEmpty()
            await backgroundExchanges.waitUntilEmpty()
        } onCancel: {
            cancelAll()
        }
        timer?.cancel()
    }
}
