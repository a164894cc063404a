import StreamsHTTP

extension RequestOptions {
    static func with(_ change: (inout RequestOptions) -> Void) -> RequestOptions {
        var options = RequestOptions()
        change(&options)
        return options
    }
}

extension RequestOptions.Connection {
    static func with(_ change: (inout RequestOptions.Connection) -> Void) -> RequestOptions.Connection {
        var options = RequestOptions.Connection()
        change(&options)
        return options
    }
}

/// An endpoint made of values.
struct Call<Response>: Endpoint where Response: Decodable & Sendable {
    var path: String
    var method: HTTPMethod
    var query: HTTPQuery = []
    var headers: HTTPHeaders = [:]
    var body = HTTPBody.empty
    var options = RequestOptions()

    init(_ method: HTTPMethod, _ path: String, options: RequestOptions = RequestOptions()) {
        self.method = method
        self.path = path
        self.options = options
    }
}

struct Greeting: Codable, Hashable, Sendable {
    let text: String
}
