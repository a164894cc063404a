import Synchronization

/// A sink that awaits a response. It receives its events in the awaiting task, where it decodes the response.
///
/// Not generic, so that its code is compiled for the types of its values.
// Safe because other threads use the signal and an atomic value alone, and only the awaiting task uses the result.
final class ResponseAwaiter: EventSink, @unchecked Sendable {
    private let plan: RequestPlan
    private let onProgress: ((TransferProgress.Direction, TransferProgress) -> Void)?
    private let decode: ((HTTPResponse<Data>) throws -> Void)?
    /// Resumes the task: there are events to deliver, or it has been cancelled.
    private let signal = TaskSignal()
    private let isCancelled = Atomic(false)
    private var response: HTTPResponse<Data>?
    private var completion: Subscribers.Completion<HTTPError>?

    private init(
        _ plan: RequestPlan, onProgress: ((TransferProgress.Direction, TransferProgress) -> Void)?,
        decode: ((HTTPResponse<Data>) throws -> Void)?
    ) {
        self.plan = plan
        self.onProgress = onProgress
        self.decode = decode
    }

    /// Carries out a plan, and returns when the request has ended. Call ``result()`` for the result: returned from
    /// here, it would enlarge the frame of every waiting caller.
    ///
    /// - Parameter decode: A closure that decodes the response and keeps the value, called before the request ends.
    static func awaitEnd(
        of plan: RequestPlan, onProgress: ((TransferProgress.Direction, TransferProgress) -> Void)? = nil,
        decode: ((HTTPResponse<Data>) throws -> Void)? = nil
    ) async -> ResponseAwaiter {
        let awaiter = ResponseAwaiter(plan, onProgress: onProgress, decode: decode)
        let subscription = plan.subscription(awaiter)
        await withTaskCancellationHandler {
            subscription.request(.unlimited)
            repeat {
                await withUnsafeContinuation { awaiter.signal.wait($0) }
                subscription.deliver()
            } while awaiter.completion == nil && !awaiter.isCancelled.load(ordering: .acquiring)
        } onCancel: {
            subscription.cancel()
            awaiter.isCancelled.store(true, ordering: .releasing)
            awaiter.signal.signal()
        }
        return awaiter
    }

    /// Returns the response, or throws the error that the request failed with.
    func result() throws(HTTPError) -> HTTPResponse<Data> {
        if case .failure(let error) = completion { throw error }
        // A cancellation may come between the response and the completion.
        guard completion != nil, let response else { throw HTTPError(.cancelled, request: plan.summary) }
        return response
    }
}

// MARK: Events

extension ResponseAwaiter {
    var filter: EventFilter { onProgress == nil ? .response : .progress }

    func scheduleDelivery(of subscription: any RequestHandle) {
        signal.signal()
    }

    func receive(_ event: RequestEvent<Data>) throws(UndecodableResponse) -> Subscribers.Demand {
        switch event {
        case .uploadProgress(let progress): onProgress?(.upload, progress)
        case .downloadProgress(let progress): onProgress?(.download, progress)
        case .response(let response):
            if let decode { _ = try response.decoded(by: decode) }
            self.response = response
        case .attempt, .head, .chunk, .retrying: break
        }
        return .none
    }

    func receive(completion: Subscribers.Completion<HTTPError>) {
        self.completion = completion
    }
}
