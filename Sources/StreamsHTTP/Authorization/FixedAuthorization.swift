/// A provider without credentials, for services that are open to all.
public struct NoAuthorization: AuthorizationProvider {
    /// A provider that changes no request.
    public init() {}

    public func authorize(_ request: TransportRequest) -> TransportRequest { request }
}

/// A token that is sent with each request, and does not change (RFC 6750, section 2.1).
public struct BearerAuthorization: AuthorizationProvider {
    private let token: String

    /// - Parameter token: What follows `Bearer` in the field.
    public init(token: String) {
        self.token = token
    }

    /// Sets `Authorization`, in place of one that the request has.
    public func authorize(_ request: TransportRequest) -> TransportRequest {
        request.authorized("Bearer \(token)")
    }
}

/// A user's name and password, sent with each request (RFC 7617), in UTF-8.
public struct BasicAuthorization: AuthorizationProvider {
    private let username: String
    private let password: String

    /// - Parameters:
    ///   - username: The name, without a colon: that is where the password begins. A request with a name that has one,
    ///     or with a control character in either, fails with ``InvalidCredentials``.
    ///   - password: The password.
    public init(username: String, password: String) {
        self.username = username
        self.password = password
    }

    /// Sets `Authorization`, in place of one that the request has.
    public func authorize(_ request: TransportRequest) throws -> TransportRequest {
        let text = "\(username):\(password)"
        guard !username.utf8.contains(UInt8(ascii: ":")), text.unicodeScalars.allSatisfy({ !$0.isControl }) else {
            throw InvalidCredentials()
        }
        return request.authorized("Basic \(Data(text.utf8).base64EncodedString())")
    }

    /// The user's name has a colon, or one of the two has a control character (RFC 7617, section 2).
    public struct InvalidCredentials: Error, CustomStringConvertible {
        public var description: String { "the user name or the password has a character that is not allowed" }
    }
}

extension TransportRequest {
    /// This request with one `Authorization`.
    func authorized(_ value: String) -> TransportRequest {
        var request = self
        request.headers.set("Authorization", value, sensitive: true)
        return request
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { properties.generalCategory == .control }
}
