/// Which responses are errors.
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

    let identity: Identity
    let isAcceptable: @Sendable (HTTPResponse<Void>) -> Bool

    /// Every status but 2xx is an error.
    public static let successOnly = ResponseValidation(identity: .successOnly) { $0.status.isSuccess }

    /// No response is an error.
    public static let none = ResponseValidation(identity: .none) { _ in true }

    /// A response is an error unless the closure accepts its head. The closure runs on the transport's thread and
    /// should decide at once.
    public static func custom(_ isAcceptable: @escaping @Sendable (HTTPResponse<Void>) -> Bool) -> ResponseValidation {
        ResponseValidation(identity: .custom(Token()), isAcceptable: isAcceptable)
    }
}
