extension HTTPRequest {
    /// Adds the parameters that neither the query nor the target has already. A target that is an absolute URL, or names
    /// another host, is somewhere else and gets none.
    mutating func addDefaultQuery(_ defaults: HTTPQuery) {
        guard !defaults.isEmpty, let parts = URLComponents(string: target), parts.scheme == nil, parts.host == nil
        else {
            return
        }
        let taken = Set(query.map(\.name)).union(parts.queryItems?.map(\.name) ?? [])
        query.append(contentsOf: HTTPQuery(defaults.filter { !taken.contains($0.name) }))
    }
}
