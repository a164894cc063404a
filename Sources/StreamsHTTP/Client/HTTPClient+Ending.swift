extension HTTPClient {
    /// Cancels every request of this client and of its copies that is under way: each fails with
    /// ``HTTPError/Reason/cancelled``, and delivers nothing else before or after that.
    ///
    /// Requests that wait for their turn or for a retry are cancelled too. Later ones are not affected. Callable from
    /// any thread, also from inside an event.
    public func cancelAll() {
        registry.abandonAll()
    }

    /// Ends the use of this client and of its copies: requests from now on fail with ``HTTPError/Reason/shutDown``, and
    /// those under way, also those that wait for their turn, go on until they are over or the deadline comes.
    ///
    /// A renewal of credentials that such a request waits for is still made. The transport is left alone, as other
    /// clients may use it. Callable any number of times, from any thread; each call keeps its own deadline.
    ///
    /// Returns when no exchange is under way and each subscriber has been told the end of its own; those that share an
    /// exchange are being told.
    ///
    /// - Parameter deadline: How long those under way may take, retries included. Then they are cancelled as by
    ///   ``cancelAll()``, and so they are when the task that waits here is cancelled. `nil` is as long as they take.
    public func shutdown(deadline: Duration? = nil) async {
        let registry = registry
        registry.close()
        let alarm = deadline.map { deadline in clock.schedule(deadline) { registry.abandonAll() } }
        await withTaskCancellationHandler {
            await registry.waitUntilEmpty()
        } onCancel: {
            registry.abandonAll()
        }
        alarm?.cancel()
    }
}
