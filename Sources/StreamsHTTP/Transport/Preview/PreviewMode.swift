/// Where a previewing client's responses come from.
public enum PreviewMode: Sendable {
    /// ``success`` inside an Xcode preview, ``disabled`` everywhere else.
    case automatic
    /// Every request is answered with an asset of the store, at once. One that the store does not have fails the
    /// request with ``HTTPError/Unanswered/noPreview(names:)``.
    case success
    /// No request is ever answered, and no timeout of its own ends it.
    case loading
    /// Every request fails.
    ///
    /// An ``HTTPError`` or its reason is what they fail with, and an ``HTTPStatus`` stands for a response that has it.
    /// Any other error shows in the words of a failure whose reason is ``HTTPError/Reason/transport``.
    case failure(any Error = HTTPError.Reason.connection(.refused))
    /// Requests go to the client's own transport.
    case disabled

    /// Whether the process shows an Xcode preview.
    static var isInPreview: Bool {
        getenv("XCODE_RUNNING_FOR_PREVIEWS").map { String(cString: $0) == "1" } ?? false
    }

    /// What ``failure(_:)`` does to an exchange.
    static func steps(failingWith error: any Error, url: URL) -> [ExchangeStep] {
        switch error {
        case let error as HTTPError: [.event(.failed(TransportFailure(error.reason, underlying: error.underlying)))]
        case let reason as HTTPError.Reason: [.event(.failed(TransportFailure(reason)))]
        case let failure as TransportFailure: [.event(.failed(failure))]
        case let status as HTTPStatus:
            .response(HTTPResponse(status: status, headers: ["Content-Length": "0"], body: (), url: url), chunks: [])
        default:
            [
                .event(
                    .failed(
                        TransportFailure(
                            .transport,
                            underlying: HTTPError.Underlying(domain: "preview", code: 0, message: "\(error)"))))
            ]
        }
    }
}
