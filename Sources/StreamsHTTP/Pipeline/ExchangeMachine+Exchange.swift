// An exchange: from the request to the end of the response, as the transport tells it.

/// How much of a body that nobody wants is read for the sake of its connection.
private let discardLimit = 64 * 1024

extension ExchangeMachine {
    /// The request as it goes to the transport, as long as it is wanted.
    mutating func handOver(hop: Int) -> TransportRequest? {
        guard hop == self.hop else { return nil }
        guard delivered > 0, var request else { return request }
        // What has come before and still waits takes up room: it is granted to this exchange when it is delivered.
        request.window = max(request.window - outbox.chunkBytes, 0)
        ungranted = 0
        return request
    }

    /// Takes in the handle of an exchange that was started.
    ///
    /// - Returns: How many more bytes it may bring; `nil` where it is no longer wanted.
    mutating func attach(_ exchange: any TransportExchange, hop: Int) -> Int? {
        guard hop == self.hop, !isOver else { return nil }
        self.exchange = exchange
        defer { ungranted = 0 }
        return ungranted
    }

    /// More of the request's body has gone.
    mutating func receive(sent count: Int64, of total: Int64?, hop: Int) -> Effects {
        guard hop == self.hop else { return Effects() }
        // A server may answer before it has read the body, and what is sent behind the head is of no interest.
        guard case .sending = phase, outbox.takesProgress else { return Effects() }
        if let progress = uploadGate.admit(TransferProgress(completed: count, total: total)) {
            outbox.set(upload: progress)
        }
        return Effects()
    }

    /// A head that a response begins with, and what is needed to judge it.
    struct Arrival {
        let head: HTTPResponse<Void>
        let context: RequestContext
        let retries: Int
        /// The error that it would be.
        let error: HTTPError
    }

    /// - Returns: `nil` where the head is not of interest: it leads elsewhere, or comes too late.
    func arrival(of head: HTTPResponse<Void>, hop: Int) -> Arrival? {
        guard hop == self.hop, case .sending = phase, let request, let context else { return nil }
        let head = head.addingRedirects(redirects)
        do {
            guard try redirection(by: head, of: request) == nil else { return nil }
        } catch {
            // That is the failure.
            return nil
        }
        return Arrival(
            head: head, context: context, retries: retries, error: error(.status(head.replacingBody(Data()))))
    }

    mutating func receive(_ head: HTTPResponse<Void>, _ verdict: Verdict, hop: Int) -> Effects {
        var effects = Effects()
        guard hop == self.hop else { return effects }
        receive(head, verdict, &effects)
        return effects
    }

    mutating func receive(_ chunk: Data, received: Int64, hop: Int) -> Effects {
        var effects = Effects()
        guard hop == self.hop, !isOver else { return effects }
        // Whoever gets it may count from zero, also where a transport hands over a part of something larger.
        let chunk = chunk.startIndex == 0 ? chunk : Data(chunk)
        receive(chunk, received: received, &effects)
        return effects
    }

    /// The exchange is over.
    mutating func finish(hop: Int) -> Effects {
        var effects = Effects()
        guard hop == self.hop, !isOver else { return effects }
        finish(&effects)
        return effects
    }

    mutating func fail(_ failure: TransportFailure, hop: Int) -> Effects {
        var effects = Effects()
        guard hop == self.hop, !isOver else { return effects }
        effects.exchange = exchange.take()
        consider(error(failure.reason, underlying: failure.underlying), &effects)
        return effects
    }

    /// Hands a request to the transport.
    mutating func start(_ request: TransportRequest, _ effects: inout Effects) {
        if let last = self.request { effects.released.append(last) }
        self.request = request
        // One whose handle came behind its end.
        if let last = exchange.take() { effects.exchange = last }
        hop += 1
        ungranted = 0
        dropBody(&effects)
        bodySize = 0
        bodyStart = 0
        received = 0
        downloadGate = ProgressGate(plan.granularity)
        phase = .sending
        note(.sending(request))
        effects.starts = true
    }
}

extension ExchangeMachine {
    private mutating func receive(_ head: HTTPResponse<Void>, _ verdict: Verdict, _ effects: inout Effects) {
        guard case .sending = phase, let request else { return }
        let head = head.addingRedirects(redirects)
        note(.head(head))
        do throws(HTTPError.Reason) {
            if let next = try redirection(by: head, of: request) {
                redirects.append(shownURL(of: request))
                phase = .redirecting(next, discarded: 0)
                if let length = head.declaredLength, length > discardLimit { redirectNow(next, &effects) }
                return
            }
        } catch {
            return fail(error, &effects)
        }
        outbox.append(step: .head(head))
        hasHead = true
        if verdict != .acceptable {
            phase = .failing(head, isAcceptable: verdict == .repeatable)
        } else if plan.bodyUse == .collect {
            phase = .collecting(head)
        } else {
            deliver(head, to: request, &effects)
        }
    }

    /// The request that a response has follow; `nil` where it is no redirect, or not to be followed.
    private func redirection(
        by head: HTTPResponse<Void>, of request: TransportRequest
    ) throws(HTTPError.Reason) -> TransportRequest? {
        try (plan.options.redirects ?? .follow).next(after: head, to: request, count: redirects.count)
    }

    private mutating func deliver(
        _ head: HTTPResponse<Void>, to request: TransportRequest, _ effects: inout Effects
    ) {
        guard delivered > 0, let resumption else {
            if plan.options.retry?.resumesDownloads == true { resumption = Resumption(of: head, to: request) }
            phase = .delivering(head, skipping: 0)
            return
        }
        switch resumption.place(of: head, after: delivered) {
        case .behind:
            bodyStart = delivered
            phase = .delivering(head, skipping: 0)
        case .start:
            phase = .delivering(head, skipping: delivered)
        case .elsewhere:
            // It has become another body, and what was delivered of the old one cannot be taken back.
            fail(error(resumption.failure.reason, underlying: resumption.failure.underlying), &effects)
        }
    }

    private mutating func receive(_ chunk: Data, received: Int64, _ effects: inout Effects) {
        self.received = received
        bodySize += chunk.count
        switch phase {
        case .delivering(let head, let skipped):
            deliver(chunk, of: head, skipping: skipped, &effects)
        case .collecting(let head):
            if let limit = plan.maxBodySize, bodySize > limit { return fail(.bodyTooLarge(limit: limit), &effects) }
            collect(chunk, of: head, &effects)
            tellDownload(head, isFinal: false)
            grant(chunk.count, &effects)
        case .failing:
            // An error is worth telling also where its body is too large: it keeps as much as the limit allows.
            let room = plan.maxErrorBodySize - body.count
            body.append(chunk.prefix(room))
            if chunk.count > room { return finishEarly(&effects) }
            grant(chunk.count, &effects)
        case .redirecting(let next, let discarded):
            let discarded = discarded + chunk.count
            phase = .redirecting(next, discarded: discarded)
            if discarded > discardLimit { return redirectNow(next, &effects) }
            grant(chunk.count, &effects)
        case .sending:
            // There was no head. The failure may be one that the attempt is repeated for.
            effects.exchange = exchange.take()
            effects.aborts = true
            consider(error(.transfer(.protocolError)), &effects)
        case .idle, .queued, .adapting, .validating, .considering, .waiting, .held, .recovering, .over:
            break
        }
    }

    private mutating func deliver(
        _ chunk: Data, of head: HTTPResponse<Void>, skipping skipped: Int, _ effects: inout Effects
    ) {
        let known = min(skipped, chunk.count)
        if known > 0 {
            phase = .delivering(head, skipping: skipped - known)
            grant(known, &effects)
        }
        let chunk = known > 0 ? Data(chunk.dropFirst(known)) : chunk
        if let limit = plan.maxBodySize, delivered + chunk.count > limit {
            return fail(.bodyTooLarge(limit: limit), &effects)
        }
        delivered += chunk.count
        if !chunk.isEmpty { outbox.append(chunk: chunk) }
        tellDownload(head, isFinal: false)
    }

    private mutating func finish(_ effects: inout Effects) {
        effects.exchange = exchange.take()
        switch phase {
        case .delivering(_, let skipped) where skipped > 0:
            consider(error(.transfer(.bodyEndedEarly)), &effects)
        case .delivering(let head, _):
            tellDownload(head, isFinal: true)
            complete(head.replacingBody(Data()))
        case .collecting(let head):
            tellDownload(head, isFinal: true)
            conclude(head.replacingBody(takeBody()), &effects)
        case .failing(let head, let isAcceptable):
            let response = head.replacingBody(takeBody())
            let isWhole = response.body.count == bodySize && bodySize <= plan.maxBodySize ?? .max
            consider(error(.status(response)), or: isAcceptable && isWhole ? response : nil, &effects)
        case .redirecting(let next, _):
            start(next, &effects)
        case .sending:
            // There was no head.
            consider(error(.transfer(.protocolError)), &effects)
        case .idle, .queued, .adapting, .validating, .considering, .waiting, .held, .recovering, .over:
            break
        }
    }

    /// Has a collected response looked at where somebody wants to, and ends with it.
    mutating func conclude(_ response: HTTPResponse<Data>, _ effects: inout Effects) {
        guard plan.options.validation?.isAcceptableBody != nil else { return complete(response) }
        phase = .validating(response)
        effects.inquiry = .validation(response)
    }

    /// Does without the rest of a body.
    private mutating func finishEarly(_ effects: inout Effects) {
        effects.aborts = true
        finish(&effects)
    }

    private mutating func redirectNow(_ next: TransportRequest, _ effects: inout Effects) {
        effects.exchange = exchange.take()
        effects.aborts = true
        start(next, &effects)
    }

    private mutating func tellDownload(_ head: HTTPResponse<Void>, isFinal: Bool) {
        guard outbox.takesProgress else { return }
        let length = head.contentLength(inAnswerTo: request?.method ?? .get)
        if isFinal, received == 0, length == nil { return }
        let start = Int64(bodyStart)
        let progress = TransferProgress(
            completed: received.adding(start) ?? .max, total: length.flatMap { $0.adding(start) },
            decoded: start + Int64(bodySize))
        if let progress = downloadGate.admit(progress, isFinal: isFinal) { outbox.set(download: progress) }
    }

    mutating func grant(_ bytes: Int, _ effects: inout Effects) {
        guard let exchange else { return ungranted += bytes }
        effects.grant = Grant(exchange: exchange, bytes: (effects.grant?.bytes ?? 0) + bytes)
    }
}

extension Int64 {
    /// The sum; `nil` where there is none, as a length may be any number that the peer likes to give, and so may a count in
    /// a recording.
    fileprivate func adding(_ other: Int64) -> Int64? {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? nil : sum
    }
}

extension HTTPResponse where Body == Void {
    fileprivate func addingRedirects(_ redirects: [URL]) -> HTTPResponse<Void> {
        guard !redirects.isEmpty else { return self }
        return HTTPResponse(
            status: status, headers: headers, body: (), url: url, redirects: redirects, version: version)
    }
}
