extension HTTPClient {
    /// This client with previews in place of responses. Everything above the transport stays as it is: requests are
    /// checked, responses validated and decoded, failures retried.
    ///
    /// ```swift
    /// MoviesScreen(client: client.previewing(.success, store: DirectoryPreviewStore(path: "Previews")))
    /// MoviesScreen(client: client.previewing(.loading))
    /// MoviesScreen(client: client.previewing(.failure(HTTPStatus.notFound)))
    /// ```
    ///
    /// - Parameters:
    ///   - mode: Where responses come from. A later call replaces the mode of an earlier one.
    ///   - store: Has the responses of ``PreviewMode/success``; see ``PreviewStore`` for their names.
    public func previewing(
        _ mode: PreviewMode = .automatic, store: any PreviewStore = EmptyPreviewStore()
    ) -> HTTPClient {
        var copy = self
        let base = (transport as? PreviewTransport)?.base ?? transport
        copy.transport = PreviewTransport(base: base, mode: mode, store: store)
        return copy
    }
}
