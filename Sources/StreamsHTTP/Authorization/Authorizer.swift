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
    }

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
    func capture<Call: Endpoint>(_ response: HTTPResponse<Call.Response>, from call: Call) throws {
        if let erased = call as? AnyEndpoint<Call.Response> { return try capture(response, from: erased.base) }
        try capture(response, from: call, for: provider)
    }

    private func capture<Call: Endpoint, Provider: AuthorizationProvider>(
        _ response: HTTPResponse<Call.Response>, from call: Call, for provider: Provider
    ) throws {
        do {
            if let call = call as? Provider.AuthorizationCall,
                let response = response as? HTTPResponse<Provider.AuthorizationCall.Response>
            {
                try provider.handle(authorizationResponse: response, from: call)
            } else if let call = call as? Provider.ReauthorizationCall,
                let response = response as? HTTPResponse<Provider.ReauthorizationCall.Response>
            {
                try provider.handle(reauthorizationResponse: response, from: call)
            } else {
                return
            }
        } catch {
            throw HTTPError.Reason.authorization(.provider(error))
        }
        state.withLock { $0.generation += 1 }
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
            guard currentStamp.generation == generation else { return .renewed }
            provider.handle(reauthorizationFailure: error, from: call)
            return .unavailable
        }
        guard currentStamp.generation == generation else { return .renewed }
        do {
            try provider.handle(reauthorizationResponse: response, from: call)
            return .renewed
        } catch {
            return .unavailable
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
