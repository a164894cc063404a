import StreamsHTTP

extension MockResponse {
    /// Whether the exchange fails or stalls before the request is read.
    var isUnconnected: Bool { fault?.place == .connecting }

    /// Returns the steps after the request has been read, or all steps if it is never read.
    func steps(for request: TransportRequest) -> [ExchangeStep] {
        if webSocketSteps != nil, !request.isUpgrade { return MockResponse(.upgradeRequired).steps(for: request) }
        if let fault, fault.place == .connecting { return [fault.step(endingStallsBy: .connect)] }
        var steps: [ExchangeStep] = delay > .zero ? [.delay(delay)] : []
        if let fault, fault.place == .beforeHead { return steps + [fault.step(endingStallsBy: .idle)] }
        steps.append(.event(.head(head(for: request))))
        // The peer of a WebSocket goes on from here.
        if webSocketSteps != nil { return steps + [.stall(until: nil)] }
        let limit = if case .inBody(let count) = fault?.place { max(count, 0) } else { Int.max }
        var received = 0
        for chunk in request.method == .head ? [] : chunks {
            let piece = chunk.prefix(limit - received)
            guard !piece.isEmpty else { break }
            received += piece.count
            if chunkDelay > .zero { steps.append(.delay(chunkDelay)) }
            steps.append(.event(.chunk(Data(piece), received: Int64(received))))
        }
        if let fault { return steps + [fault.step(endingStallsBy: .idle)] }
        if let metrics { steps.append(.event(.metrics(metrics))) }
        return steps + [.event(.finished)]
    }

    private func head(for request: TransportRequest) -> HTTPResponse<Void> {
        var headers = webSocketSteps == nil ? headers : acceptance(of: request)
        let isFramed = headers.contains("Content-Length") || headers.contains("Transfer-Encoding")
        if !isFramed, status != .noContent, status != .notModified, status != .switchingProtocols {
            headers.add("Content-Length", "\(chunks.reduce(0) { $0 + $1.count })")
        }
        return HTTPResponse(status: status, headers: headers, body: (), url: request.url, version: version)
    }
}

extension MockFault {
    /// - Parameter timeout: The timeout that ends a stall.
    fileprivate func step(endingStallsBy timeout: HTTPError.Timeout) -> ExchangeStep {
        switch effect {
        case .failure(let failure): .event(.failed(failure))
        case .stall: .stall(until: timeout)
        }
    }
}
