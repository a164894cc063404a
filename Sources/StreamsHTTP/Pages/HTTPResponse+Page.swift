extension HTTPResponse {
    /// A page of a list that a server returns in parts, and the position after it.
    public struct Page {
        /// The number of the page in this subscription, from 1.
        public let number: Int
        /// The response with the decoded page.
        public let response: HTTPResponse
        /// The request of the next page; `nil` if this is the last one, and if the stream fails after this page
        /// because no request can be made for its link.
        ///
        /// A program that stores the position of linked pages stores its ``HTTPRequest/target``, and passes that to
        /// `linkedPages(for:from:maxPages:)` after a restart.
        public let next: HTTPRequest?

        /// The decoded page.
        public var value: Body { response.body }
    }
}

extension HTTPResponse.Page: Sendable where Body: Sendable {}
