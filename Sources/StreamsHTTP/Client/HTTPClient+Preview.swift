extension HTTPClient {
    /// Returns another client with previews in place of responses. Everything above the transport is unchanged: requests
    /// are checked, responses validated and decoded, failures retried. Limits and requests under way are its own, as
    /// those of ``configuring(_:)``.
    ///
    /// ```swift
    /// MoviesScreen(client: client.previewing(.success, store: .directory("Previews")))
    /// MoviesScreen(client: client.previewing(.loading))
    /// MoviesScreen(client: client.previewing(.failure(HTTPStatus.notFound)))
    /// ```
    ///
    /// - Parameters:
    ///   - mode: The source of responses. A later call replaces the mode of an earlier one.
    ///   - store: The store of the responses of ``PreviewMode/success``. `nil` keeps the store of an earlier call, or
    ///     that of the client's service.
    public func previewing(_ mode: PreviewMode = .automatic, store: PreviewStore? = nil) -> HTTPClient {
        let earlier = transport as? PreviewTransport
        let previews = PreviewTransport(base: earlier?.base ?? transport, mode: mode, store: store ?? earlier?.store)
        return HTTPClient(configuration: configuration, transport: previews, clock: clock)
    }
}
