/// Answers requests with previews, or hands them to another transport, as its mode says.
struct PreviewTransport: HTTPTransport {
    let base: any HTTPTransport
    let mode: PreviewMode
    let store: any PreviewStore

    func start(
        _ request: TransportRequest, delivering receiver: any TransportReceiver
    ) -> any TransportExchange {
        guard let steps = steps(for: request) else { return base.start(request, delivering: receiver) }
        return PlayedExchange.start(steps, of: request, to: receiver, clock: .system)
    }

    /// What happens to a request; `nil` where it is the other transport's.
    private func steps(for request: TransportRequest) -> [ExchangeStep]? {
        switch mode {
        case .automatic: PreviewMode.isInPreview ? success(request) : nil
        case .success: success(request)
        case .loading: [.silence]
        case .failure(let error): PreviewMode.steps(failingWith: error, url: request.url)
        case .disabled: nil
        }
    }

    private func success(_ request: TransportRequest) -> [ExchangeStep] {
        // Not before the exchange has begun: a store may read files.
        [.decide { [store] _ in Self.steps(for: request, in: store) }]
    }

    private static func steps(for request: TransportRequest, in store: any PreviewStore) -> [ExchangeStep] {
        let names = PreviewName.candidates(for: request)
        do {
            for name in names {
                guard let asset = try store.asset(named: name) else { continue }
                let head = HTTPResponse(status: asset.status, headers: asset.headers, body: (), url: request.url)
                return .response(head, chunks: request.method == .head ? [] : [asset.data])
            }
            return [.event(.failed(TransportFailure(.unanswered(.noPreview(names: names)))))]
        } catch {
            return PreviewMode.steps(failingWith: error, url: request.url)
        }
    }
}
