/// Detects that a series of requests repeats itself, in constant memory.
///
/// A request is compared with the previous one and with a kept one, which is replaced after 1, 2, 4, ... requests
/// (Brent's cycle detection). A page that leads to itself is detected before it is requested again. A loop of several
/// pages is detected after at most three times as many requests as the loop and the pages before it have.
///
/// Only a request with a safe method has to lead to the same page again. With another, the server may continue the
/// list: the scroll of Elasticsearch is the same POST for each page.
struct LoopDetector {
    private var previous: TransportRequest?
    private var kept: TransportRequest?
    private var distance = 0
    private var maxDistance = 1

    /// Records the next request of the series.
    ///
    /// - Returns: Whether it has been made before.
    mutating func detectsLoop(at request: TransportRequest) -> Bool {
        if previous?.leadsToSameResponse(as: request) == true || kept?.leadsToSameResponse(as: request) == true {
            return true
        }
        previous = request
        distance += 1
        if distance == maxDistance {
            kept = request
            distance = 0
            maxDistance *= 2
        }
        return false
    }
}

extension TransportRequest {
    /// Whether the responses to two requests have to be the same: the requests are safe and equal. Bodies other than
    /// data in memory count as different.
    fileprivate func leadsToSameResponse(as other: TransportRequest) -> Bool {
        guard method.isSafe, method == other.method, lazyURL == other.lazyURL, headers == other.headers else {
            return false
        }
        return switch (body.content, other.body.content) {
        case (.empty, .empty): true
        case (.data(let data), .data(let otherData)): data == otherData
        default: false
        }
    }
}
