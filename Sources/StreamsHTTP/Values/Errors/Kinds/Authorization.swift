extension HTTPError {
    /// A kind of ``Reason/authorization(_:)``: the reason that the credentials could not be obtained or stored.
    public struct Authorization: Sendable {
        package enum Code: String, CaseIterable, Sendable {
            case provider = "authorization.provider"
            case reauthorizationNeedsAuthorization = "authorization.reauthorization-needs-authorization"
        }

        /// The error of ``provider(_:)``; `nil` for other kinds.
        public let error: (any Error)?
        package let code: Code

        package init(_ code: Code, _ error: (any Error)? = nil) {
            self.code = code
            self.error = error
        }

        /// The stable name, such as `authorization.provider`.
        public var name: String { code.rawValue }

        /// Returns whether a kind matches a pattern: it is the same kind. Errors are not compared.
        public static func ~= (pattern: Authorization, authorization: Authorization) -> Bool {
            pattern.code == authorization.code
        }
    }
}

extension HTTPError.Authorization {
    /// The provider could not authorize a request, or could not process the credentials of a response.
    public static let provider = Self(.provider)

    /// ``provider`` with the error that it threw.
    public static func provider(_ error: any Error) -> Self { Self(.provider, error) }

    /// The request for new credentials requires authorization itself, and would wait for its own result.
    public static let reauthorizationNeedsAuthorization = Self(.reauthorizationNeedsAuthorization)
}

extension HTTPError.Authorization: CustomStringConvertible {
    /// A description of the kind. The provider's error describes itself.
    public var description: String {
        switch code {
        case .provider: "the credentials could not be obtained or stored\(error.map { ": \($0)" } ?? "")"
        case .reauthorizationNeedsAuthorization: "the call for new credentials requires authorization itself"
        }
    }
}
