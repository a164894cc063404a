import StreamsHTTP

/// The document that is requested, with the response of a small service.
struct Document: Decodable, Sendable {
    let id: Int
    let name: String
    let tags: [String]
    let isPublic: Bool

    static let text =
        #"{"id":7,"name":"a small document","tags":["swift","streams","benchmark"],"isPublic":true}"#

    /// The fields of its response, but for its length.
    static let fields = [
        ("Server", "nginx"),
        ("Date", "Sat, 21 Nov 2026 12:00:00 GMT"),
        ("Content-Type", "application/json"),
        ("Last-Modified", "Fri, 20 Nov 2026 12:00:00 GMT"),
        ("Connection", "keep-alive"),
        ("ETag", "\"6920a1c0-5d\""),
        ("Accept-Ranges", "bytes"),
    ]
}

struct GetDocument: Endpoint {
    typealias Response = Document

    let path: String
}

struct FindDocuments: Endpoint {
    typealias Response = [Document]

    let word: String
    let page: Int
    let path = "/documents"
    var query: HTTPQuery { ["word": word, "page": "\(page)"] }
}
