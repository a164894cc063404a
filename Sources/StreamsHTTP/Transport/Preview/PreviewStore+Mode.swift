extension PreviewStore {
    /// The source of a previewing client's responses.
    public enum Mode: Sendable {
        /// ``success`` inside an Xcode preview, ``disabled`` everywhere else.
        case automatic
        /// Answers every request with an asset of the store. A request without an asset fails with
        /// ``PreviewStore/MissingAsset``.
        case success
        /// Answers no request. Only the total timeout ends it.
        case loading
        /// Every request fails.
        ///
        /// Requests fail with the reason of an ``HTTPError``, or with this reason. An ``HTTPStatus`` is the status of
        /// an empty response. For any other error, the reason is ``HTTPError/Reason/thrown(_:by:)`` by the transport.
        case failure(any Error = HTTPError.Reason.connection(.refused))
        /// Passes requests to the client's own transport.
        case disabled

        /// Whether the process runs an Xcode preview.
        static var isInPreview: Bool {
            getenv("XCODE_RUNNING_FOR_PREVIEWS").map { String(cString: $0) == "1" } ?? false
        }

        /// Returns the events of ``failure(_:)``.
        static func events(failingWith error: any Error, url: URL) -> [TransportEvent] {
            switch error {
            case let error as HTTPError: [.failed(TransportFailure(error.reason, underlying: error.underlying))]
            case let reason as HTTPError.Reason: [.failed(TransportFailure(reason))]
            case let failure as TransportFailure: [.failed(failure)]
            case let status as HTTPStatus:
                [.head(HTTPResponse(status: status, headers: ["Content-Length": "0"], body: (), url: url)), .finished]
            default:
                [.failed(TransportFailure(.thrown(error, by: .transport)))]
            }
        }
    }
}
