/// A response whose body is not what was expected.
struct UndecodableResponse: Error {
    let error: any Error
    let response: HTTPResponse<Data>

    /// Why the request fails; what is a reason already, as of a provider that took no note of credentials, stands.
    var reason: HTTPError.Reason {
        error as? HTTPError.Reason ?? .decoding(error, response)
    }
}

extension RequestEvent<Data> {
    /// The event with the body of a response decoded.
    func decoded<Decoded>(
        by decode: (HTTPResponse<Data>) throws -> Decoded
    ) throws(UndecodableResponse) -> RequestEvent<Decoded> {
        switch self {
        case .attempt(let attempt): return .attempt(attempt)
        case .uploadProgress(let progress): return .uploadProgress(progress)
        case .head(let head): return .head(head)
        case .downloadProgress(let progress): return .downloadProgress(progress)
        case .chunk(let chunk): return .chunk(chunk)
        case .retrying(let retry): return .retrying(retry)
        case .response(let response):
            do {
                return .response(response.replacingBody(try decode(response)))
            } catch {
                throw UndecodableResponse(error: error, response: response)
            }
        }
    }
}
