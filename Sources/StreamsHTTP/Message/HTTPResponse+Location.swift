extension HTTPResponse {
    /// The URL in the `Location` of a redirect, resolved against the response's own URL (RFC 9110, section 10.2.2); the field's
    /// text if it cannot be resolved, and `nil` for a response that is no redirect.
    package var location: String? {
        guard (300..<400).contains(status.code), let location = headers["Location"] else { return nil }
        guard let target = try? URLResolver(baseURL: url).target(ofLocation: location) else { return location }
        return target.url.text
    }
}
