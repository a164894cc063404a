// An exchange: from the request to the end of the response, as the transport tells it.

/// How much of a body that nobody wants is read for the sake of its connection.
private let discardLimit = 64 * 1024

extension ExchangeMachine {
    /// Takes in the handle of an exchange that was started.
    ///
    /// - Returns: `nil` where it is no longer wanted.
    mutating func attach(_ exchange: any TransportExchange, hop: Int) -> Effects? {
        guard hop == self.hop, !isOver else { return nil }
        self.exchange = exchange
        var effects = Effects()
        effects.grant = ungranted
        ungranted = 0
        return effects
    }

    mutating func receive(_ event: TransportEvent, verdict: Verdict?, hop: Int) -> Effects {
        var effects = Effects()
        guard hop == self.hop, !isOver else { return effects }
        switch event {
        case .sent(let count, let total):
            // A server may answer before it has read the body, and what is sent behind the head is of no interest.
            guard case .sending = phase else { break }
            let progress = TransferProgress(completed: count, total: total)
            if let progress = uploadGate.admit(progress) { outbox.set(upload: progress) }
        case .head(let head):
            receive(head, verdict ?? .acceptable, &effects)
        case .chunk(let chunk, let received):
            receive(chunk, received: received, &effects)
        case .metrics:
            // For monitors alone, who have been told.
            break
        case .finished:
            finish(&effects)
        case .failed(let failure):
            exchange = nil
            consider(error(failure.reason, underlying: failure.underlying), &effects)
        }
        return effects
    }

    /// Hands a request to the transport.
    mutating func start(_ request: TransportRequest, _ effects: inout Effects) {
        self.request = request
        exchange = nil
        hop += 1
        ungranted = 0
        body = Data()
        bodySize = 0
        bodyStart = 0
        received = 0
        downloadGate = ProgressGate(plan.granularity)
        phase = .sending
        note(.sending(request))
        effects.start = request
    }
}

extension ExchangeMachine {
    private mutating func receive(_ head: HTTPResponse<Void>, _ verdict: Verdict, _ effects: inout Effects) {
        guard case .sending = phase, let request else { return }
        let head = head.addingRedirects(redirects)
        note(.head(head))
        do throws(HTTPError.Reason) {
            let policy = plan.options.redirects ?? .follow
            if let next = try policy.next(after: head, to: request, count: redirects.count) {
                redirects.append(request.url)
                phase = .redirecting(next, discarded: 0)
                if let length = head.declaredLength, length > discardLimit { redirectNow(next, &effects) }
                return
            }
        } catch {
            return fail(error, &effects)
        }
        outbox.append(.head(head))
        hasHead = true
        if verdict == .unacceptable {
            phase = .failing(head)
        } else if plan.bodyUse == .collect {
            phase = .collecting(head)
            let expected = min(head.declaredLength ?? 0, Int64(plan.maxBodySize ?? 0), 1 << 20)
            body.reserveCapacity(Int(expected))
        } else {
            deliver(head, to: request, &effects)
        }
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
            body.append(chunk)
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
        case .idle, .queued, .adapting, .sending, .validating, .considering, .waiting, .recovering, .over:
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
        let chunk = known > 0 ? chunk.dropFirst(known) : chunk
        if let limit = plan.maxBodySize, delivered + chunk.count > limit {
            return fail(.bodyTooLarge(limit: limit), &effects)
        }
        delivered += chunk.count
        if !chunk.isEmpty { outbox.append(chunk: chunk) }
        tellDownload(head, isFinal: false)
    }

    private mutating func finish(_ effects: inout Effects) {
        exchange = nil
        switch phase {
        case .delivering(_, let skipped) where skipped > 0:
            consider(error(.transfer(.bodyEndedEarly)), &effects)
        case .delivering(let head, _):
            tellDownload(head, isFinal: true)
            complete(head.replacingBody(Data()))
        case .collecting(let head):
            tellDownload(head, isFinal: true)
            let response = head.replacingBody(body)
            guard plan.options.validation?.isAcceptableBody != nil else { return complete(response) }
            phase = .validating(response)
            effects.inquiry = .validation(response)
        case .failing(let head):
            consider(error(.status(head.replacingBody(body))), &effects)
        case .redirecting(let next, _):
            start(next, &effects)
        case .idle, .queued, .adapting, .sending, .validating, .considering, .waiting, .recovering, .over:
            break
        }
    }

    /// Does without the rest of a body.
    private mutating func finishEarly(_ effects: inout Effects) {
        effects.abort = exchange
        finish(&effects)
    }

    private mutating func redirectNow(_ next: TransportRequest, _ effects: inout Effects) {
        effects.abort = exchange
        start(next, &effects)
    }

    private mutating func tellDownload(_ head: HTTPResponse<Void>, isFinal: Bool) {
        let length = head.contentLength(inAnswerTo: request?.method ?? .get)
        if isFinal, received == 0, length == nil { return }
        let start = Int64(bodyStart)
        let progress = TransferProgress(
            completed: start + received, total: length.map { start + $0 }, decoded: start + Int64(bodySize))
        if let progress = downloadGate.admit(progress, isFinal: isFinal) { outbox.set(download: progress) }
    }

    mutating func grant(_ bytes: Int, _ effects: inout Effects) {
        if exchange == nil { ungranted += bytes } else { effects.grant += bytes }
    }
}

extension HTTPResponse where Body == Void {
    fileprivate func addingRedirects(_ redirects: [URL]) -> HTTPResponse<Void> {
        guard !redirects.isEmpty else { return self }
        return HTTPResponse(
            status: status, headers: headers, body: (), url: url, redirects: redirects, version: version)
    }
}
