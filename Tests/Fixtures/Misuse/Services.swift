import StreamsHTTP

// None of these compiles: a property with another type than the requirement's would have no effect.

struct DictionaryAsHeaders: HTTPService {
    let baseURL = URL(literal: "https://api.example.com")
    let headers: [String: String]
}

struct DictionaryAsQuery: HTTPService {
    let baseURL = URL(literal: "https://api.example.com")
    let query: [String: String]
}

struct DecoderAsCoders: HTTPService {
    let baseURL = URL(literal: "https://api.example.com")
    let coders = JSONDecoder()
}

struct TextAsEnvelope: HTTPService {
    let baseURL = URL(literal: "https://api.example.com")
    let envelope = "data"
}

struct OptionalOptions: HTTPService {
    let baseURL = URL(literal: "https://api.example.com")
    let options: RequestOptions?
}

struct OptionalTransport: HTTPService {
    let baseURL = URL(literal: "https://api.example.com")
    let transport: CurlTransport?
}

struct RequiredPreviewStore: HTTPService {
    let baseURL = URL(literal: "https://api.example.com")
    let previewStore = PreviewStore.directory("Previews")
}
