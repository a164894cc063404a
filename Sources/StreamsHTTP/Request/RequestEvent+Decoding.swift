/// A response whose body cannot be decoded.
struct UndecodableResponse: Error {
    let error: any Error
    let response: HTTPResponse<Data>

    /// The reason for the failure. An error that is a reason already, such as one of an authorization provider, is
    /// kept.
    var reason: HTTPError.Reason {
        error as? HTTPError.Reason ?? .decoding(error, response)
    }
}

extension HTTPResponse<Data> {
    /// Returns the response with its body decoded.
    func decoded<Decoded>(
        by decode: (HTTPResponse<Data>) throws -> Decoded
    ) throws(UndecodableResponse) -> HTTPResponse<Decoded> {
        do {
            return replacingBody(try decode(self))
        } catch {
            throw UndecodableResponse(error: error, response: self)
        }
    }
}

extension RequestEvent<Data> {
    /// Returns the event with the body of a response decoded.
    func decoded<Decoded>(
        by decode: (HTTPResponse<Data>) throws -> Decoded
    ) throws(UndecodableResponse) -> RequestEvent<Decoded> {
        switch self {
        case .attempt(let attempt): .attempt(attempt)
        case .uploadProgress(let progress): .uploadProgress(progress)
        case .head(let head): .head(head)
        case .downloadProgress(let progress): .downloadProgress(progress)
        case .chunk(let chunk): .chunk(chunk)
        case .retrying(let retry): .retrying(retry)
        case .response(let response): .response(try response.decoded(by: decode))
        }
    }
}
