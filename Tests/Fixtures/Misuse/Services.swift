import StreamsHTTP

// None of these compiles: neither the base URL nor the error content is what the service needs.

struct TextAsBaseURL: HTTPService {
    let baseURL = "https://api.example.com"
}

struct UndecodableContent: HTTPService {
    let baseURL = URL(literal: "https://api.example.com")

    struct ErrorContent: Sendable {}
}

// The compiler warns of a function that is never called.

struct Unconfigured {
    let baseURL = URL(literal: "https://api.example.com")
}

extension Unconfigured: HTTPService {
    func configure(_ configuration: HTTPClient.Configuration) {}
}
