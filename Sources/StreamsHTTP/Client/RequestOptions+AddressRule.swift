extension RequestOptions.Connection {
    /// A rule that decides which addresses connections may be made to.
    ///
    /// The rule is asked for each address just before a connection to it is made, after the name has been resolved, so
    /// that a name cannot be resolved to another address afterwards. If it refuses all addresses of a name, the request
    /// fails with ``HTTPError/Connection/addressNotAllowed(_:)``; otherwise the allowed addresses are tried. The rule
    /// applies to redirects too. It is not asked for unix-domain sockets, nor when a connection is reused, which only
    /// requests with an equal rule do. If there is a proxy, the rule is asked for the proxy's address only: the proxy
    /// resolves the server's name.
    ///
    /// A transport reuses connections only for requests with the first rule that it received, which may be `nil`. Each
    /// request with another rule opens a connection of its own. So a client whose options have a rule does not share
    /// the process's transport, and clients with different rules need different transports to be fast.
    public struct AddressRule: Hashable, Sendable {
        private enum Identity: Hashable {
            case publicOnly
            case custom(ResponseValidation.Token)
        }

        private let identity: Identity
        let allows: @Sendable (IPAddress) -> Bool

        /// Allows the addresses of the public internet: ``IPAddress/isPublic``. For requests to URLs that others
        /// choose, which must not reach the host itself, its network, or a cloud's metadata service.
        public static let publicOnly = AddressRule(identity: .publicOnly) { $0.isPublic }

        /// Creates a rule, which is equal only to its copies.
        ///
        /// - Parameter allows: Returns whether a connection to an address may be made. Runs on the transport's thread,
        ///   and must return quickly.
        public init(_ allows: @escaping @Sendable (IPAddress) -> Bool) {
            self.init(identity: .custom(ResponseValidation.Token()), allows: allows)
        }

        private init(identity: Identity, allows: @escaping @Sendable (IPAddress) -> Bool) {
            self.identity = identity
            self.allows = allows
        }

        public static func == (left: AddressRule, right: AddressRule) -> Bool { left.identity == right.identity }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(identity)
        }
    }
}
