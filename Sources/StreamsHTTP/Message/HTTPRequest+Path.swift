extension HTTPRequest {
    /// Returns a path of segments. Each is percent-encoded, so that none can change the structure of the path.
    ///
    /// ```swift
    /// HTTPRequest.path(components: "users", "a/b", "größe")    // users/a%2Fb/gr%C3%B6%C3%9Fe
    /// ```
    ///
    /// The segments `.` and `..` are encoded too, but a server may decode `%2E` (RFC 3986, section 6.2.2.2). Validate
    /// segments that come from outside.
    public static func path(components: String...) -> String {
        path(components: components)
    }

    /// Returns a path of segments. Each is percent-encoded, so that none can change the structure of the path.
    public static func path(components: some Sequence<String>) -> String {
        components.map { component in
            component == "." || component == ".." ? component.replacing(".", with: "%2E") : component.percentEncoded
        }.joined(separator: "/")
    }
}
