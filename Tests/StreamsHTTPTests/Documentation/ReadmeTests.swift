import Dispatch
import Foundation
import StreamsHTTP
import Testing

@Suite struct ReadmeTests {
    @Test func samplesAreThoseThatCompile() throws {
        try ArticleSamples(of: "README.md").expectAll()
    }

    @Test func isShort() throws {
        #expect(try readme().split(separator: "\n", omittingEmptySubsequences: false).count <= 130)
    }

    @Test func linkedFilesExist() throws {
        let links = try readme().matches(of: /\]\(([^)#:]+)(#[^)]*)?\)/).map { String($0.1) }
        #expect(links.count > 10)
        for link in links {
            #expect(FileManager.default.fileExists(atPath: root.appending(path: link).path), "\(link)")
        }
    }

    private let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL

    private func readme() throws -> String {
        try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    }
}

// The samples. They are compiled and never run, because they name a server on the network.

private func awaited() async throws {
    struct Release: Decodable, Sendable { let name: String }

    let client = HTTPClient(baseURL: "https://api.example.com/v1")
    let latest = HTTPRequest(.get, "/releases/latest").decoding(Release.self)
    let release = try await client.value(for: latest)
    print(release.name)
}

private func subscribed(client: HTTPClient) -> AnyCancellable {
    let subscription = client.events(for: HTTPRequest(.get, "/releases/latest/archive"))
        .compactMap { event -> Double? in
            guard case .downloadProgress(let progress) = event else { return nil }
            return progress.fraction
        }
        .throttle(for: .seconds(1), scheduler: DispatchQueue.main, latest: true)
        .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    return subscription
}

private func configured(token: String) -> HTTPClient {
    var configuration = HTTPClient.Configuration(baseURL: "https://api.example.com/v1", authorization: .bearer(token))
    configuration.options.retry = RetryPolicy(maxRetries: 3)
    let client = HTTPClient(configuration: configuration)
    return client
}
