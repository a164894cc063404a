extension HTTPClient {
    /// Returns another client with previews in place of responses. Everything above the transport is unchanged:
    /// requests are checked, responses validated and decoded, failures retried. Limits and requests under way are its
    /// own, as those of ``configuring(_:)``.
    ///
    /// ```swift
    /// MoviesScreen(client: client.previewing(.success, store: .directory("Previews")))
    /// MoviesScreen(client: client.previewing(.loading))
    /// MoviesScreen(client: client.previewing(.failure(HTTPStatus.notFound)))
    /// ```
    ///
    /// - Parameters:
    ///   - mode: The source of responses. A later call replaces the mode of an earlier one.
    ///   - store: The store of the responses of ``PreviewStore/Mode/success``. `nil` keeps that of
    ///     ``Configuration/previewStore``.
    public func previewing(_ mode: PreviewStore.Mode = .automatic, store: PreviewStore? = nil) -> HTTPClient {
        configuring {
            $0.previewMode = mode
            if let store { $0.previewStore = store }
        }
    }
}
