#if !canImport(Darwin)
import Foundation
import FoundationNetworking
import Streams

extension URLSession {
    /// Creates a publisher of the response to a GET request.
    ///
    /// - Parameter url: The URL of the request.
    public func dataTaskPublisher(for url: URL) -> DataTaskPublisher {
        dataTaskPublisher(for: URLRequest(url: url))
    }

    /// Creates a publisher of the response to a request.
    ///
    /// - Parameter request: The request.
    public func dataTaskPublisher(for request: URLRequest) -> DataTaskPublisher {
        DataTaskPublisher(request: request, session: self)
    }

    /// A publisher that performs a request and delivers the data and the response, or an error.
    ///
    /// **Demand.** Each subscription has its own task. The first request for values starts it.
    ///
    /// **Cancellation** cancels the task.
    ///
    /// **Threads.** Signals are delivered on the session's delegate queue.
    public struct DataTaskPublisher: Streams.Publisher, Sendable {
        public typealias Output = (data: Data, response: URLResponse)
        public typealias Failure = URLError

        /// The request to perform.
        public let request: URLRequest

        /// The session that performs the request.
        public let session: URLSession

        /// Creates a publisher of a response. Call `URLSession.dataTaskPublisher(for:)` instead.
        public init(request: URLRequest, session: URLSession) {
            self.request = request
            self.session = session
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            subscriber.receive(subscription: DataTaskSubscription(of: self, downstream: subscriber))
        }
    }
}

/// A receiver of the result of a task, erased over its subscriber.
private protocol DataTaskTarget: Sendable {
    func finish(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?)
}

/// The subscription of one subscriber. The task keeps it alive until it has a result.
// Safe because a lock guards all mutable state, and only the task calls the downstream, once.
private final class DataTaskSubscription<Downstream: Subscriber>: Subscription, DataTaskTarget, CustomStringConvertible,
    CustomReflectable, CustomPlaygroundDisplayConvertible, @unchecked Sendable
where Downstream.Input == URLSession.DataTaskPublisher.Output, Downstream.Failure == URLError {
    private struct State {
        var publisher: URLSession.DataTaskPublisher?
        var downstream: Downstream?
        var demand = Subscribers.Demand.none
        var isStarted = false
        var task: URLSessionDataTask?
    }

    private let state: Locked<State>

    init(of publisher: URLSession.DataTaskPublisher, downstream: Downstream) {
        state = Locked(State(publisher: publisher, downstream: downstream))
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let (publisher, task) = state.withLock { state in
            let publisher = state.isStarted ? nil : state.publisher
            state.isStarted = true
            state.demand += demand
            return (publisher, state.task)
        }
        if let publisher { start(publisher) } else { task?.resume() }
    }

    private func start(_ publisher: URLSession.DataTaskPublisher) {
        let target: any DataTaskTarget = self
        let task = publisher.session.dataTask(with: publisher.request) { target.finish($0, $1, $2) }
        let isWanted = state.withLock { state in
            guard state.publisher != nil else { return false }
            state.task = task
            return true
        }
        if isWanted { task.resume() } else { task.cancel() }
    }

    func finish(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
        let ended = end()
        guard let downstream = ended.downstream else { return }
        if error == nil, let response {
            _ = downstream.receive((data: data ?? Data(), response: response))
            downstream.receive(completion: .finished)
        } else {
            downstream.receive(completion: .failure(error as? URLError ?? URLError(.unknown)))
        }
    }

    func cancel() {
        end().task?.cancel()
    }

    private func end() -> State {
        state.withLock { state in
            let ended = state
            state = State()
            return ended
        }
    }

    var description: String { "DataTaskPublisher" }
    var playgroundDescription: Any { description }

    var customMirror: Mirror {
        let state = state.withLock { $0 }
        return Mirror(
            self,
            children: [
                "task": state.task as Any, "downstream": state.downstream as Any, "parent": state.publisher as Any,
                "demand": state.demand,
            ])
    }
}
#endif
