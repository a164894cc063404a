import StreamsHTTP

// None of these compiles: a value made of one option would reset the others, and some of those protect.

func setOptions(_ options: inout RequestOptions) {
    options.timeouts = .init(total: .seconds(5))  // error
    options.connection = .init(protocolPolicy: .http2)  // error
    options.headLimits = .init(maxFieldCount: 10)  // error
    options.retry = RetryPolicy(3)  // error
    // An option that is not set is not `nil`, so this would do nothing.
    options.connection?.protocolPolicy = .http2  // error
    options.timeouts?.total = .seconds(5)  // error
}
