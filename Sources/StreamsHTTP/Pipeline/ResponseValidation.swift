/// Which responses are errors.
public struct ResponseValidation: Sendable {
    let isAcceptable: @Sendable (HTTPResponse<Void>) -> Bool

    /// Every status but 2xx is an error.
    public static let successOnly = ResponseValidation { $0.status.isSuccess }

    /// No response is an error.
    public static let none = ResponseValidation { _ in true }

    /// A response is an error unless the closure accepts its head. The closure runs on the transport's thread and
    /// should decide at once.
    public static func custom(_ isAcceptable: @escaping @Sendable (HTTPResponse<Void>) -> Bool) -> ResponseValidation {
        ResponseValidation(isAcceptable: isAcceptable)
    }
}
