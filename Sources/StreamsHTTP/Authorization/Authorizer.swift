/// A provider at work: has credentials renewed once for all who find that they are no longer good.
final class Authorizer: Sendable {
    /// What the credentials of an attempt were, in time.
    struct Stamp: Sendable {
        /// How many times there had been new credentials.
        let generation: Int
        /// How many times it had been tried to renew them.
        let trials: Int
    }

    /// What asking for new credentials came to.
    enum Renewal: Sendable {
        /// There are other credentials than those that are no longer good.
        case renewed
        case unavailable
        /// The provider cannot work as it is.
        case impossible(HTTPError.Reason)
    }

    private struct State {
        var generation = 0
        var trials = 0
        var isRenewing = false
        /// Why the last trial could not have come to anything.
        var defect: HTTPError.Reason?
        var lastWaiter = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastCapture = 0
        /// What hands over once more what is being handed over from elsewhere.
        var captures: [Int: Repetition] = [:]
        /// Whether the outcome of a renewal is being handed over.
        var isHandingOver = false
        /// Of what came from elsewhere at the same time as that.
        var overtaken: [Repetition] = []
    }

    private typealias Repetition = @Sendable () -> Void

    let provider: any AuthorizationProvider
    private let state = Locked(State())

    init(_ provider: any AuthorizationProvider) {
        self.provider = provider
    }
}

// MARK: Credentials

extension Authorizer {
    /// A request with credentials, new ones where they are being renewed, and what they were.
    func authorize(_ request: TransportRequest) async throws -> (TransportRequest, Stamp) {
        var stamp = currentStamp
        await waitForRenewal()
        while true {
            let before = currentStamp
            // Who has waited in vain for new credentials knows that there are none to be had for the moment.
            if before.generation != stamp.generation { stamp = before }
            let authorized = try await provider.authorize(request).hidingWhatDiffers(from: request)
            // New credentials may have come while these were being added: these may be the old ones or the new.
            guard currentStamp.generation != before.generation else { return (authorized, stamp) }
        }
    }

    /// Hands the provider a response that is meant for it.
    ///
    /// - Parameter again: Makes the response anew: one may not be used on two threads.
    func capture<Call: Endpoint>(
        _ response: HTTPResponse<Call.Response>, from call: Call,
        again: @escaping @Sendable () throws -> HTTPResponse<Call.Response>
    ) throws {
        if let erased = call as? AnyEndpoint<Call.Response> {
            return try capture(response, from: erased.base, again: again)
        }
        try capture(response, from: call, again: again, for: provider)
    }

    private func capture<Call: Endpoint, Provider: AuthorizationProvider>(
        _ response: HTTPResponse<Call.Response>, from call: Call,
        again: @escaping @Sendable () throws -> HTTPResponse<Call.Response>, for provider: Provider
    ) throws {
        guard call is Provider.AuthorizationCall || call is Provider.ReauthorizationCall else { return }
        let number = beginCapture {
            // What came of it was told the first time.
            try? provider.take(again(), from: call)
        }
        defer { endCapture(number) }
        do {
            try provider.take(response, from: call)
        } catch {
            throw HTTPError.Reason.authorization(.provider(error))
        }
        state.withLock { $0.generation += 1 }
    }

    private func beginCapture(_ repetition: @escaping Repetition) -> Int {
        state.withLock { state in
            state.lastCapture += 1
            state.captures[state.lastCapture] = repetition
            if state.isHandingOver { state.overtaken.append(repetition) }
            return state.lastCapture
        }
    }

    private func endCapture(_ number: Int) {
        let released = state.withLock { $0.captures.removeValue(forKey: number) }
        withExtendedLifetime(released) {}
    }

    private var currentStamp: Stamp {
        state.withLock { Stamp(generation: $0.generation, trials: $0.trials) }
    }
}

// MARK: Renewal

extension Authorizer {
    /// Asks for other credentials than those of an attempt, and waits for them.
    ///
    /// - Parameter client: Makes the call, where one has to be made.
    func renew(_ stamp: Stamp, through client: HTTPClient) async -> Renewal {
        let mustBegin = state.withLock { state in
            guard state.generation == stamp.generation, state.trials == stamp.trials, !state.isRenewing else {
                return false
            }
            state.isRenewing = true
            return true
        }
        // On its own: whoever began it may go away.
        if mustBegin { Task { finish(await renewal(of: stamp.generation, through: client), of: stamp.generation) } }
        if state.withLock({ $0.generation == stamp.generation && $0.trials == stamp.trials }) { await waitForRenewal() }
        return state.withLock { state in
            if state.generation != stamp.generation { return .renewed }
            return state.defect.map { .impossible($0) } ?? .unavailable
        }
    }

    private func renewal(of generation: Int, through client: HTTPClient) async -> Renewal {
        var client = client
        // The call gets no credentials, and its response is handed over here.
        client.configuration.authorization = nil
        client.configuration.options.requiresAuthorization = nil
        // Requests that have their turn wait for it: it must not wait for one, nor be refused while they may go on.
        client.registry = RequestRegistry()
        return await renewal(of: generation, by: provider, through: client)
    }

    /// Makes the call, and hands its outcome over: unless there are credentials from elsewhere by then, a login's for
    /// instance, of which that says nothing.
    private func renewal<Provider: AuthorizationProvider>(
        of generation: Int, by provider: Provider, through client: HTTPClient
    ) async -> Renewal {
        guard let call = try? await provider.makeReauthorizationRequest() else { return .unavailable }
        guard currentStamp.generation == generation else { return .renewed }
        guard !call.requiresAuthorization, call.options.requiresAuthorization != true else {
            return .impossible(.authorization(.reauthorizationNeedsAuthorization))
        }
        let response: HTTPResponse<Provider.ReauthorizationCall.Response>
        do throws(HTTPError) {
            response = try await client.response(for: call)
        } catch {
            return handOver(of: generation) {
                provider.handle(reauthorizationFailure: error, from: call)
                return .unavailable
            }
        }
        return handOver(of: generation) {
            do {
                try provider.handle(reauthorizationResponse: response, from: call)
                return .renewed
            } catch {
                return .unavailable
            }
        }
    }

    /// Has the provider take note of a renewal's outcome, unless there are credentials from elsewhere. What comes from
    /// there meanwhile is handed over once more: the provider keeps what it is told last.
    private func handOver(of generation: Int, _ tell: () -> Renewal) -> Renewal {
        let isWanted = state.withLock { state in
            guard state.generation == generation else { return false }
            state.isHandingOver = true
            state.overtaken = state.captures.sorted { $0.key < $1.key }.map(\.value)
            return true
        }
        guard isWanted else { return .renewed }
        let renewal = tell()
        while let overtaken = takeOvertaken() {
            for repetition in overtaken { repetition() }
            state.withLock { $0.generation += 1 }
        }
        return renewal
    }

    private func takeOvertaken() -> [Repetition]? {
        state.withLock { state in
            state.isHandingOver = !state.overtaken.isEmpty
            guard state.isHandingOver else { return nil }
            defer { state.overtaken = [] }
            return state.overtaken
        }
    }

    private func finish(_ renewal: Renewal, of generation: Int) {
        let waiters = state.withLock { state in
            state.isRenewing = false
            state.trials += 1
            state.defect = nil
            switch renewal {
            // Those from elsewhere have been counted.
            case .renewed: if state.generation == generation { state.generation += 1 }
            case .unavailable: break
            case .impossible(let reason): state.defect = reason
            }
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until credentials that are being renewed are, or cannot be, or the task is cancelled.
    private func waitForRenewal() async {
        guard let number = newWaiter() else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    guard state.isRenewing, !Task.isCancelled else { return false }
                    state.waiters[number] = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }

    private func newWaiter() -> Int? {
        state.withLock { state in
            guard state.isRenewing else { return nil }
            state.lastWaiter += 1
            return state.lastWaiter
        }
    }
}

extension AuthorizationProvider {
    /// Takes note of a response, where it is to one of the provider's own calls.
    fileprivate func take<Call: Endpoint>(_ response: HTTPResponse<Call.Response>, from call: Call) throws {
        if let call = call as? AuthorizationCall, let response = response as? HTTPResponse<AuthorizationCall.Response> {
            try handle(authorizationResponse: response, from: call)
        } else if let call = call as? ReauthorizationCall,
            let response = response as? HTTPResponse<ReauthorizationCall.Response>
        {
            try handle(reauthorizationResponse: response, from: call)
        }
    }
}

extension TransportRequest {
    /// This request with all fields sensitive that another does not have.
    fileprivate func hidingWhatDiffers(from other: TransportRequest) -> TransportRequest {
        var request = self
        let known = Set(other.headers)
        request.headers = HTTPHeaders(
            headers.map { field in
                known.contains(field)
                    ? field : HTTPHeaders.Field(name: field.name, value: field.value, isSensitive: true)
            })
        return request
    }
}
