extension HTTPHeaders {
    /// The time for which the response is fresh, by its `Cache-Control` and `Age` (RFC 9111, section 4.2); zero if it is
    /// unknown, or if each use needs the server's consent (section 5.2.2).
    var freshnessLifetime: Duration {
        var lifetimes: [Duration] = []
        for directive in FieldMember.list(in: values(for: "Cache-Control")) {
            switch directive.name {
            case "no-cache", "no-store": return .zero
            // A malformed age, or another one, makes the response stale (section 4.2.1).
            case "max-age": lifetimes.append(directive.value.flatMap { Duration(deltaSeconds: $0) } ?? .zero)
            default: break
            }
        }
        guard let lifetime = lifetimes.min() else { return .zero }
        let age = self["Age"].flatMap { Duration(deltaSeconds: $0) } ?? .zero
        return lifetime > age ? lifetime - age : .zero
    }
}
