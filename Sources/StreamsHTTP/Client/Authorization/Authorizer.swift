/// A coordinator of a provider's calls. It renews rejected credentials once for all requests that use them.
final class Authorizer: Sendable {
    /// The version of an attempt's credentials.
    struct CredentialVersion: Sendable {
        /// The number of times that the credentials had changed.
        let generation: Int
        /// The number of renewals that had ended, whether or not they succeeded.
        let renewalCount: Int
    }

    /// The result of a renewal.
    enum Renewal: Sendable {
        /// The rejected credentials have been replaced.
        case renewed
        case unavailable
        /// The provider's renewal call can never succeed.
        case failed(HTTPError.Reason)
    }

    private struct State {
        var generation = 0
        var renewalCount = 0
        var isRenewing = false
        /// The reason of the last renewal if its result was `failed`.
        var failureReason: HTTPError.Reason?
        var lastWaiter = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastCaptureNumber = 0
        /// Closures that repeat the captures in progress, by number.
        var captures: [Int: Replay] = [:]
        /// Whether the provider is handling the outcome of a renewal.
        var isHandingOver = false
        /// The replays of captures that overlap with the handling of that outcome.
        var replays: [Replay] = []
    }

    private typealias Replay = @Sendable () -> Void

    let provider: any AuthorizationProvider
    private let state = Locked(State())

    init(_ provider: any AuthorizationProvider) {
        self.provider = provider
    }
}

// MARK: Credentials

extension Authorizer {
    /// Returns a request with credentials, and their version. Waits for a renewal in progress first.
    func authorize(_ request: TransportRequest) async throws -> (TransportRequest, CredentialVersion) {
        var version = currentVersion
        await waitForRenewal()
        while true {
            let before = currentVersion
            // After a failed renewal, the version from before it is kept, so that this request starts no other one.
            if before.generation != version.generation { version = before }
            let authorized = try await provider.authorize(request).hidingWhatDiffers(from: request)
            // If the credentials changed meanwhile, the request may have the old or the new ones: authorize it again.
            guard currentVersion.generation != before.generation else { return (authorized, version) }
        }
    }

    /// Lets the provider handle a response, if it is to one of the provider's calls.
    ///
    /// - Parameter again: A closure that decodes the response anew: a response may not be used on two threads.
    func capture<Call: Endpoint>(
        _ response: HTTPResponse<Call.Response>, from call: Call,
        again: @escaping @Sendable () throws -> HTTPResponse<Call.Response>
    ) throws {
        guard provider.exchangesCredentials(call) else { return }
        let number = beginCapture { [provider] in
            // The first handling has reported its error.
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

    private func beginCapture(_ replay: @escaping Replay) -> Int {
        state.withLock { state in
            state.lastCaptureNumber += 1
            state.captures[state.lastCaptureNumber] = replay
            if state.isHandingOver { state.replays.append(replay) }
            return state.lastCaptureNumber
        }
    }

    private func endCapture(_ number: Int) {
        let released = state.withLock { $0.captures.removeValue(forKey: number) }
        withExtendedLifetime(released) {}
    }

    private var currentVersion: CredentialVersion {
        state.withLock { CredentialVersion(generation: $0.generation, renewalCount: $0.renewalCount) }
    }
}

// MARK: Renewal

extension Authorizer {
    /// Renews the credentials of an attempt, unless they have changed since, and waits for the result.
    ///
    /// - Parameter client: The client that makes the renewal call.
    func renew(_ version: CredentialVersion, through client: HTTPClient) async -> Renewal {
        let mustBegin = state.withLock { state in
            guard state.generation == version.generation, state.renewalCount == version.renewalCount, !state.isRenewing
            else {
                return false
            }
            state.isRenewing = true
            return true
        }
        // An unstructured task: cancelling the request that starts the renewal must not cancel the renewal.
        if mustBegin {
            Task(executorPreference: client.clock.taskExecutor) { [self] in
                finish(await renewal(of: version.generation, through: client), of: version.generation)
            }
        }
        if state.withLock({ $0.generation == version.generation && $0.renewalCount == version.renewalCount }) {
            await waitForRenewal()
        }
        return state.withLock { state in
            if state.generation != version.generation { return .renewed }
            return state.failureReason.map { .failed($0) } ?? .unavailable
        }
    }

    private func renewal(of generation: Int, through client: HTTPClient) async -> Renewal {
        // Requests that wait for the call hold slots of the client's queue. Another client makes the call, so that it
        // does not wait in that queue, and a shutdown does not reject it.
        let client = client.configuring {
            // The call gets no credentials, and the authorizer passes its response to the provider. It sends the
            // credentials that renew the others.
            $0.confinesRedirects = true
            $0.authorization = nil
            $0.options.requiresAuthorization = nil
        }
        return await renewal(of: generation, by: provider, through: client)
    }

    /// Makes the renewal call, and lets the provider handle its outcome. The outcome is discarded if the credentials
    /// have changed meanwhile, by a login for instance: it does not apply to the new ones.
    private func renewal<Provider: AuthorizationProvider>(
        of generation: Int, by provider: Provider, through client: HTTPClient
    ) async -> Renewal {
        guard let call = try? await provider.makeReauthorizationRequest() else { return .unavailable }
        guard currentVersion.generation == generation else { return .renewed }
        guard (try? call.makeRequest(using: client.configuration.coders))?.options.requiresAuthorization != true else {
            return .failed(.authorization(.reauthorizationNeedsAuthorization))
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

    /// Lets the provider handle the outcome of a renewal, unless the credentials have changed meanwhile. Other
    /// responses that it handles at the same time are handled again afterwards: it keeps the last credentials.
    private func handOver(of generation: Int, _ tell: () -> Renewal) -> Renewal {
        let isWanted = state.withLock { state in
            guard state.generation == generation else { return false }
            state.isHandingOver = true
            state.replays = state.captures.sorted { $0.key < $1.key }.map(\.value)
            return true
        }
        guard isWanted else { return .renewed }
        let renewal = tell()
        while let replays = takeReplays() {
            for replay in replays { replay() }
            state.withLock { $0.generation += 1 }
        }
        return renewal
    }

    private func takeReplays() -> [Replay]? {
        state.withLock { state in
            state.isHandingOver = !state.replays.isEmpty
            guard state.isHandingOver else { return nil }
            defer { state.replays = [] }
            return state.replays
        }
    }

    private func finish(_ renewal: Renewal, of generation: Int) {
        let waiters = state.withLock { state in
            state.isRenewing = false
            state.renewalCount += 1
            state.failureReason = nil
            switch renewal {
            // Credentials from other calls have increased the generation already.
            case .renewed: if state.generation == generation { state.generation += 1 }
            case .unavailable: break
            case .failed(let reason): state.failureReason = reason
            }
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until the renewal in progress ends, or the task is cancelled.
    private func waitForRenewal() async {
        guard let number = newWaiter() else { return }
        await withCancellationHandler {
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
    /// Returns whether a call is one of the provider's calls.
    func exchangesCredentials(_ call: any Endpoint) -> Bool {
        call is AuthorizationCall || call is ReauthorizationCall
    }

    /// Handles a response, if it is to one of the provider's calls.
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
    /// Returns this request with the header fields that another request does not have marked as sensitive.
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
