/// Answers requests with previews, or passes them to another transport, as its mode says.
struct PreviewTransport: HTTPTransport {
    let base: any HTTPTransport
    let mode: PreviewStore.Mode
    /// The store of the previews; `nil` for a store without any.
    let store: PreviewStore?

    /// Returns a transport that answers with previews, if there is a mode or a store of them, and else the transport.
    ///
    /// - Parameter transport: The transport, or that of other previews above it.
    static func wrapping(
        _ transport: any HTTPTransport, mode: PreviewStore.Mode?, store: PreviewStore?
    ) -> any HTTPTransport {
        let base = (transport as? PreviewTransport)?.base ?? transport
        guard mode != nil || store != nil else { return base }
        return PreviewTransport(base: base, mode: mode ?? .automatic, store: store)
    }

    /// Whether requests are answered with previews.
    var isActive: Bool {
        switch mode {
        case .automatic: PreviewStore.Mode.isInPreview
        case .disabled: false
        case .success, .failure, .loading: true
        }
    }

    var connections: [OriginConnections] { base.connections }

    func start(
        _ request: TransportRequest, delivering receiver: any TransportReceiver
    ) -> any TransportExchange {
        let makeEvents: (@Sendable () -> [TransportEvent])?
        switch mode {
        case .automatic where !PreviewStore.Mode.isInPreview, .disabled:
            return base.start(request, delivering: receiver)
        case .automatic, .success:
            makeEvents = { [store] in Self.events(for: request, in: store) }
        case .failure(let error):
            makeEvents = { PreviewStore.Mode.events(failingWith: error, url: request.url) }
        case .loading:
            makeEvents = nil
        }
        let exchange = PreviewExchange(window: request.window, receiver: receiver)
        if let makeEvents { exchange.start(makeEvents) }
        return exchange
    }

    private static func events(for request: TransportRequest, in store: PreviewStore?) -> [TransportEvent] {
        let names = request.previewNames
        do {
            for name in names {
                guard let asset = try store?.asset(named: name) else { continue }
                let head = HTTPResponse(status: asset.status, headers: asset.headers, body: (), url: request.url)
                let body = request.method == .head ? Data() : asset.data
                let chunks = body.isEmpty ? [] : [TransportEvent.chunk(body, received: Int64(body.count))]
                return [.head(head)] + chunks + [.finished]
            }
            return [.failed(TransportFailure(.thrown(PreviewStore.MissingAsset(names: names), by: .transport)))]
        } catch {
            return PreviewStore.Mode.events(failingWith: error, url: request.url)
        }
    }
}

extension TransportRequest {
    /// The names of the request's preview, in the order of the search.
    fileprivate var previewNames: [String] {
        if let previewName { return [previewName] }
        let url = url
        let path = url.path(percentEncoded: true).split(separator: "/")
        let authority = (url.host() ?? "") + (url.port.map { ":\($0)" } ?? "")
        let parts = [authority[...]] + path
        let whole = parts.joined(separator: "/")
        let query = url.query(percentEncoded: true)?.split(separator: "&") ?? []
        let withQuery = query.indices.reversed().map { last in
            "\(whole)?\(query[...last].joined(separator: "&"))"
        }
        let withoutQuery = parts.indices.reversed().map { last in
            parts[...last].joined(separator: "/")
        }
        return withQuery + withoutQuery
    }
}
