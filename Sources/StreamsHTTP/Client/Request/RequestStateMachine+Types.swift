// The states, inputs and effects of the state machine.

extension RequestStateMachine {
    enum State {
        case idle
        /// Waiting in the client's queue.
        case queued
        /// The interceptors adapt the request.
        case adapting
        /// Sending the request and receiving the response.
        case exchanging
        /// User code validates the head.
        case validatingHead(HTTPResponse<Void>)
        /// User code decides whether a redirect is followed.
        indirect case decidingRedirect(HTTPResponse<Void>, TransportRequest)
        /// The body of a redirect is discarded.
        case redirecting(TransportRequest)
        /// User code validates the whole response.
        indirect case validatingBody(HTTPResponse<Data>)
        /// The interceptors adapt the response.
        case adaptingResponse
        /// The interceptors or the policy decide whether there is another attempt. Without one, the request completes
        /// with the response or fails with the other error.
        indirect case deciding(HTTPError, orElse: Result<HTTPResponse<Data>, HTTPError>)
        case waiting
        /// Another attempt is due, but waits for demand, because its events would pile up in the buffer.
        case awaitingDemand
        /// The interceptors may provide a response in place of the error.
        indirect case recovering(HTTPError)
        case over
    }

    /// An input from an operation that an earlier effect started. It is ignored if that operation was abandoned.
    enum Input: Sendable {
        /// The client's queue lets the request start.
        case admitted
        /// The client has been shut down.
        case rejected
        /// The transport has started the exchange.
        case started(any TransportExchange)
        case event(TransportEvent)
        case adapted(Result<TransportRequest, TransportFailure>)
        case validatedHead(HeadValidation)
        case decidedRedirect(isFollowed: Bool)
        case validatedBody(isAcceptable: Bool)
        case adaptedResponse(Result<HTTPResponse<Data>, TransportFailure>)
        /// The decision about a failed attempt, by the interceptors or else by the retry policy.
        case decided(RetryPolicy.Decision, byPolicy: Bool)
        case recovered(Result<HTTPResponse<Data>?, TransportFailure>)
        /// The wait before the next attempt, or the time of a body that decides nothing, is over.
        case waited
    }

    /// The result of validating the head of a response.
    enum HeadValidation {
        case acceptable
        /// The head is acceptable, but another attempt may follow: by the retry policy after a delay, or with renewed
        /// credentials.
        case repeatable(after: Duration?)
        case unacceptable
    }

    /// The effects of an input, in the order in which they are performed.
    struct Effects {
        /// The exchange that has ended. Releasing it may run user code.
        var exchange: (any TransportExchange)?
        /// Whether that exchange is aborted.
        var aborts = false
        /// Whether it is aborted because of the total timeout.
        var isExpired = false
        /// Whether the interceptor task or timer under way is cancelled.
        var cancelsOperation = false
        var allowance: Allowance?
        var operation: Operation?
        /// Values that are no longer needed. Releasing them may run user code.
        var released: [Any] = []
    }

    /// A number of further bytes that an exchange may deliver.
    struct Allowance {
        let exchange: any TransportExchange
        let bytes: Int
    }

    /// An operation whose result comes back as an input.
    enum Operation {
        /// Records the start of the request, sets its deadline and enqueues it.
        case begin
        /// Passes a request to the transport.
        case send(TransportRequest, attempt: Int)
        case call(InterceptorCall)
        /// Waits before the next attempt.
        case wait(Duration)
        /// Waits for the end of a body that decides nothing, for a time at most.
        case limitBody(Duration)
    }
}
