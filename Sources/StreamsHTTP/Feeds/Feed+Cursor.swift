extension Feed {
    /// The position in a feed, which its elements tell, and by which a request resumes.
    ///
    /// A position that cannot be sent is left out, and a ``FeedGap/notResumable`` reports it: one with control
    /// characters in a header field, or one of more than 8,000 bytes.
    ///
    /// ```swift
    /// let cursor = Feed<WatchEvent>.Cursor.query("resourceVersion") { $0.object.metadata.resourceVersion }
    /// ```
    public struct Cursor: Sendable {
        /// The position of the first connection; `nil` for none.
        public var start: String?
        let position: @Sendable (Element) -> String?
        let resume: @Sendable (HTTPRequest, String) -> HTTPRequest

        /// Creates a cursor.
        ///
        /// - Parameters:
        ///   - position: Returns the position behind an element; `nil` if the element does not change it.
        ///   - resume: Returns the request that resumes at a position.
        public init(
            position: @escaping @Sendable (Element) -> String?,
            resume: @escaping @Sendable (HTTPRequest, String) -> HTTPRequest
        ) {
            self.position = position
            self.resume = resume
        }

        /// Returns a cursor that a parameter of the query carries.
        ///
        /// - Parameters:
        ///   - name: The name of the parameter.
        ///   - position: Returns the position behind an element; `nil` if the element does not change it.
        public static func query(
            _ name: String, _ position: @escaping @Sendable (Element) -> String?
        ) -> Cursor {
            Cursor(position: position) { $0.settingQueryItem(name, $1) }
        }

        /// Returns a cursor that a header field carries.
        ///
        /// - Parameters:
        ///   - name: The name of the field.
        ///   - position: Returns the position behind an element; `nil` if the element does not change it.
        public static func header(
            _ name: String, _ position: @escaping @Sendable (Element) -> String?
        ) -> Cursor {
            Cursor(position: position) { $0.settingHeader(name, $1) }
        }
    }
}
