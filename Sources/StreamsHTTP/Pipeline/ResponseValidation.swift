/// Which responses are errors: ``HTTPError/Reason/status(_:)``, with the response.
public struct ResponseValidation: Sendable {
    /// What tells one validation from another.
    enum Identity: Hashable, Sendable {
        case successOnly
        case none
        case custom(Token)
    }

    /// An object to be known by.
    final class Token: Hashable, Sendable {
        static func == (left: Token, right: Token) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    private(set) var identity: Identity
    let isAcceptable: @Sendable (HTTPResponse<Void>) -> Bool
    /// Whether it is a closure's to decide.
    var asksUser: Bool { if case .custom = identity { true } else { false } }
    /// Looks at a response once more, with its body; `nil` where the head says it all.
    private(set) var isAcceptableBody: (@Sendable (HTTPResponse<Data>) -> Bool)?

    /// Every status but 2xx is an error.
    public static let successOnly = ResponseValidation(identity: .successOnly) { $0.status.isSuccess }

    /// No response is an error.
    public static let none = ResponseValidation(identity: .none) { _ in true }

    /// A response is an error unless the closure accepts its head, which knows the redirects that were followed. It is
    /// not asked about these. The closure runs on the transport's thread and should decide at once.
    public static func custom(_ isAcceptable: @escaping @Sendable (HTTPResponse<Void>) -> Bool) -> ResponseValidation {
        ResponseValidation(identity: .custom(Token()), isAcceptable: isAcceptable)
    }

    /// This validation, and a look at the whole response where it accepts the head: for services that say in the body
    /// that something went wrong.
    ///
    /// A body that is delivered in chunks is not there to be looked at, and is not.
    ///
    /// - Parameter isAcceptable: Accepts a response with its body as it came. Runs on the transport's thread and should
    ///   decide at once.
    public func inspectingBody(
        _ isAcceptable: @escaping @Sendable (HTTPResponse<Data>) -> Bool
    ) -> ResponseValidation {
        var validation = self
        // A closure is like no other, and so is the rule that it becomes a part of.
        validation.identity = .custom(Token())
        let before = isAcceptableBody
        validation.isAcceptableBody = { (before?($0) ?? true) && isAcceptable($0) }
        return validation
    }
}
