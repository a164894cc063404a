import Dispatch
import StreamsHTTP

/// The number of orders, and the sum of their totals.
struct Sales: Equatable, Encodable, Sendable {
    var count = 0
    var total = 0
}

extension HTTPClient {
    /// Publishes the sales, at most once a second.
    func sales(on scheduler: some Scheduler = DispatchQueue.global()) -> some Publisher<Sales, HTTPError> {
        serverSentEvents(of: Order.self, for: HTTPRequest(.get, "/orders"))
            .scan(Sales()) { sales, order in
                Sales(count: sales.count + 1, total: sales.total + order.data.total)
            }
            .throttle(for: .seconds(1), scheduler: scheduler, latest: true)
    }
}
