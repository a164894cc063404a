/// The rule that decides which responses are errors: ``HTTPError/Reason/status(_:)``, with the response.
public struct ResponseValidation: Sendable {
    /// The identity of a validation, by which validations are compared.
    private enum Identity: Hashable, Sendable {
        case successOnly
        case acceptAll
        case upgradeOnly
        case custom(Unique<Void>)
    }

    private var identity: Identity
    let isAcceptable: @Sendable (HTTPResponse<Void>) -> Bool
    /// Whether a closure of the program decides.
    var isCustom: Bool { if case .custom = identity { true } else { false } }
    /// Validates a response with its body; `nil` if the head suffices.
    private(set) var isAcceptableBody: (@Sendable (HTTPResponse<Data>) -> Bool)?

    /// Every status but 2xx is an error.
    public static let successOnly = ResponseValidation(identity: .successOnly) { $0.status.isSuccess }

    /// No response is an error. One that the ``RetryPolicy`` or the authorization would answer with another attempt is
    /// the response if there is none.
    public static let acceptAll = ResponseValidation(identity: .acceptAll) { _ in true }

    /// Creates a validation by which a response is an error unless the closure accepts its head, which contains the
    /// redirects that were followed. The closure is not called for redirects that are followed. It runs on the
    /// transport's thread and should return quickly.
    public static func custom(_ isAcceptable: @escaping @Sendable (HTTPResponse<Void>) -> Bool) -> ResponseValidation {
        ResponseValidation(identity: .custom(Unique(())), isAcceptable: isAcceptable)
    }

    /// Returns this validation with a second check, of the whole response, for services that report errors in the body.
    /// The check runs if this validation accepts the head.
    ///
    /// A body that is delivered in chunks is not checked.
    ///
    /// - Parameter isAcceptable: Accepts a response with its body undecoded. Runs on the transport's thread and should
    ///   return quickly.
    public func inspectingBody(
        _ isAcceptable: @escaping @Sendable (HTTPResponse<Data>) -> Bool
    ) -> ResponseValidation {
        var validation = self
        // Closures cannot be compared, so each validation with one is equal only to itself.
        validation.identity = .custom(Unique(()))
        let before = isAcceptableBody
        validation.isAcceptableBody = { (before?($0) ?? true) && isAcceptable($0) }
        return validation
    }

    /// Every status but 101 is an error.
    static let upgradeOnly = ResponseValidation(identity: .upgradeOnly) { $0.status == .switchingProtocols }

    /// Returns this validation with every status but 2xx as an error in addition.
    func requiringSuccess() -> ResponseValidation {
        guard isCustom else { return .successOnly }
        let isAcceptable = isAcceptable
        return ResponseValidation(identity: .custom(Unique(()))) { $0.status.isSuccess && isAcceptable($0) }
    }

    /// Returns this validation with a status that is never an error.
    func accepting(_ status: HTTPStatus) -> ResponseValidation {
        let (isAcceptable, isAcceptableBody) = (isAcceptable, isAcceptableBody)
        var validation = ResponseValidation(identity: .custom(Unique(()))) { $0.status == status || isAcceptable($0) }
        if let isAcceptableBody {
            validation.isAcceptableBody = { $0.status == status || isAcceptableBody($0) }
        }
        return validation
    }
}

extension ResponseValidation: Hashable {
    /// Returns whether two validations are the same rule. One with a closure is equal to its copies alone.
    public static func == (left: ResponseValidation, right: ResponseValidation) -> Bool {
        left.identity == right.identity
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
    }
}
