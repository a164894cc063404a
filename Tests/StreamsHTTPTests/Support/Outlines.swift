@testable import StreamsHTTP

extension HTTPError.Reason {
    /// The name of the reason, and its contents in parentheses, fit for comparing.
    var outline: String {
        let contents: String? =
            switch self {
            case .invalidRequest(let invalid): invalid.value
            case .connection(let connection): connection.address.map { "\($0)" }
            case .transfer(let transfer): transfer.limit.map { "\($0)" }
            case .webSocket(let failure): failure.closeCode.map { "\($0)" } ?? failure.limit.map { "\($0)" }
            case .redirect(let redirect): redirect.value ?? redirect.limit.map { "\($0)" }
            case .status(let response): "\(response.status)"
            case .decoding(let error, _), .thrown(let error, _): outline(of: error)
            case .authorization(let authorization): authorization.error.map { "\(type(of: $0))" }
            case .timeout, .cancelled: nil
            }
        return contents.map { "\(name)(\($0))" } ?? name
    }

    /// The case of an error of a body, and the type of any other.
    private func outline(of error: any Error) -> String {
        switch error as? HTTPBody.Failure {
        case .lengthMismatch: "lengthMismatch"
        case .alreadySent: "alreadySent"
        case .besideParameters: "besideParameters"
        case .alreadyEncoded: "alreadyEncoded"
        case .compressionUnavailable: "compressionUnavailable"
        case nil: "\(type(of: error))"
        }
    }
}

extension HTTPError.Reason {
    /// A reason of each name.
    static let all: [HTTPError.Reason] = {
        let response = HTTPResponse(status: .notFound, body: Data(), url: URL(literal: "http://h/"))
        var reasons: [HTTPError.Reason] = [.status(response), .decoding(UnexpectedSuccess(), response), .cancelled]
        reasons += HTTPError.InvalidRequest.Code.allCases.map { .invalidRequest(.init($0)) }
        reasons += HTTPError.Connection.Code.allCases.map { .connection(.init($0)) }
        reasons += HTTPError.Timeout.Code.allCases.map { .timeout(.init($0)) }
        reasons += HTTPError.Transfer.Code.allCases.map { .transfer(.init($0)) }
        reasons += HTTPError.WebSocketFailure.Code.allCases.map { .webSocket(.init($0)) }
        reasons += HTTPError.Redirect.Code.allCases.map { .redirect(.init($0)) }
        reasons += HTTPError.Authorization.Code.allCases.map { .authorization(.init($0)) }
        reasons += HTTPError.Thrower.Code.allCases.map { .thrown(UnexpectedSuccess(), by: .init($0)) }
        return reasons
    }()
}
