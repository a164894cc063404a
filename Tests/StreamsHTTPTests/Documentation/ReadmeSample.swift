import Dispatch
import StreamsHTTP

struct Release: Decodable, Sendable {
    let name: String
}

struct LatestRelease: Endpoint {
    let project: String
    var path: String { "/projects/\(project)/releases/latest" }
    typealias Response = Release
}

let client = HTTPClient(baseURL: URL(string: "https://api.example.com/v1"))

// Awaited: one value, or one typed error.
func latest(of project: String) async throws(HTTPError) -> Release {
    try await client.value(for: LatestRelease(project: project))
}

// Subscribed to: everything that happens on the way.
func follow(_ url: String) -> AnyCancellable {
    client.events(for: HTTPRequest(.get, url))
        .receive(on: DispatchQueue.main)
        .sink { completion in
            if case .failure(let error) = completion { print(error) }
        } receiveValue: { event in
            switch event {
            case .attempt(let attempt): print("attempt \(attempt.number)")
            case .head(let head): print("status \(head.status)")
            case .downloadProgress(let progress): print(progress.fraction ?? .nan)
            case .chunk(let chunk): print("\(chunk.count) bytes")
            case .retrying(let retry): print("again in \(retry.delay)")
            case .uploadProgress, .response: break
            }
        }
}
