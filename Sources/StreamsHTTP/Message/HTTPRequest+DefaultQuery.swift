extension HTTPRequest {
    /// The query, with the parameters added that neither it nor the target has already. A target that is an absolute
    /// URL, or names another host, is somewhere else and gets none.
    func query(adding defaults: HTTPQuery) -> HTTPQuery {
        guard !defaults.isEmpty, let parts = URLComponents(string: target), parts.scheme == nil, parts.host == nil
        else {
            return query
        }
        let taken = Set(query.map(\.name)).union(parts.queryItems?.map(\.name) ?? [])
        var query = query
        query.append(contentsOf: HTTPQuery(defaults.filter { !taken.contains($0.name) }))
        return query
    }
}
