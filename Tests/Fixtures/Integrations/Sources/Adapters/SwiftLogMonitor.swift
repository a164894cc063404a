// swift-log: a monitor that logs the requests of a client. URLs and errors are logged without secrets. Levels and
// metadata are easy to change here.

import Logging
import StreamsHTTP

/// A monitor that logs requests with swift-log.
public struct SwiftLogMonitor: EventMonitor {
    private let logger: Logger

    /// Creates a monitor that writes to a logger.
    public init(_ logger: Logger) {
        self.logger = logger
    }

    public func requestStarted(_ request: MonitoredRequest) {
        logger.debug("request started", metadata: metadata(of: request))
    }

    public func request(_ request: MonitoredRequest, received event: RequestEvent<Data>) {
        guard case .retrying(let retry) = event else { return }
        logger.notice("request failed and is retried: \(retry.error)", metadata: metadata(of: request))
    }

    public func requestEnded(
        _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>, metrics: HTTPRequest.Metrics
    ) {
        let details: Logger.Metadata = ["duration": "\(metrics.total)", "attempts": "\(metrics.attempts)"]
        let metadata = metadata(of: request).merging(details) { $1 }
        switch completion {
        case .finished: logger.info("request finished", metadata: metadata)
        case .failure(let error): logger.error("request failed: \(error)", metadata: metadata)
        }
    }

    private func metadata(of request: MonitoredRequest) -> Logger.Metadata {
        ["request": "\(request.id)", "method": "\(request.method)", "url": "\(request.url)"]
    }
}
