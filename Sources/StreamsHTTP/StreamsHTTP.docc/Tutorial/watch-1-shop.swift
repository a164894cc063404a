import StreamsLoopback

/// Opens a shop on a free port of this machine: 40 orders of 10, ten a second.
func openShop() throws -> LoopbackServer {
    let server = try LoopbackServer()
    server.on("GET", "/orders/latest", .json(#"{"number":1,"total":10}"#))

    // The first connection breaks off in the middle of the eighth order.
    var orders = FeedScript(
        .serverSentEvents, count: 40,
        .elements(7, every: .milliseconds(100), partial: 9, then: .close), .elements(every: .milliseconds(100)))
    orders.content = { #"{"number":\#($0),"total":10}"# }
    orders.retry = .milliseconds(500)
    server.on("GET", "/orders", feed: orders)

    server.on("POST", "/reports") { request in
        print("the shop received \(request.text)")
        return .status(204)
    }
    return server
}
