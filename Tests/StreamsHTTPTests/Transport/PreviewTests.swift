import Foundation
import StreamsHTTP
import StreamsHTTPTesting
import Testing

/// Previews in place of responses.
@Suite struct PreviewTests {
    private let mock = MockTransport()

    init() {
        mock.otherwise { _ in .text("live") }
    }

    private var client: HTTPClient {
        HTTPClient(
            configuration: HTTPClient.Configuration(baseURL: URL(string: "https://api.example.com:8443/3")),
            transport: mock)
    }

    private func text(_ client: HTTPClient, _ target: String, name: String? = nil) async throws(HTTPError) -> String {
        let request = HTTPRequest(.get, target).settingOptions { $0.previewName = name }
        return String(decoding: try await client.response(for: request).body, as: UTF8.self)
    }

    private func store(_ assets: [String: String]) -> PreviewStore {
        PreviewStore(assets.mapValues { PreviewStore.Asset(Data($0.utf8)) })
    }

    @Test func assetsAreFoundByTheURLAndItsShorterForms() async throws {
        let whole = store([
            "api.example.com:8443/3/movies?page=2&sort=a": "whole", "api.example.com:8443/3/movies?page=2": "page",
            "api.example.com:8443/3/movies": "movies", "api.example.com:8443": "host",
        ])
        let client = client.previewing(.success, store: whole)
        #expect(try await text(client, "/movies?page=2&sort=a") == "whole")
        #expect(try await text(client, "/movies?page=2&sort=b") == "page")
        #expect(try await text(client, "/movies?page=3") == "movies")
        #expect(try await text(client, "/movies") == "movies")
        #expect(try await text(client, "/movies/7/cast") == "movies")
        #expect(try await text(client, "/people") == "host")
        #expect(mock.requests.isEmpty)
    }

    @Test func aDirectoryWhosePathHasANULIsRefused() throws {
        let folder = try ScratchFolder()
        try folder.write("other", to: "a/asset.txt")
        #expect(throws: FileError.self) { try PreviewStore.directory("\(folder.path)/a\0b").asset(named: "asset") }
    }

    @Test func aMissingAssetFailsByTheNamesItWasLookedForUnder() async throws {
        let client = client.previewing(.success, store: store(["other": "x"]))
        let error = try await failure { () async throws(HTTPError) in try await text(client, "/movies?page=2&a=b") }
        guard case .thrown(let cause as PreviewStore.MissingAsset, by: .transport) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(
            cause.names == [
                "api.example.com:8443/3/movies?page=2&a=b", "api.example.com:8443/3/movies?page=2",
                "api.example.com:8443/3/movies", "api.example.com:8443/3", "api.example.com:8443",
            ])
        #expect(error.description.contains("no preview is named api.example.com:8443/3/movies?page=2&a=b, nor "))
    }

    @Test func aNameOfOnesOwnWinsAndIsTheOnlyOne() async throws {
        let client = client.previewing(.success, store: store(["popular": "mine", "api.example.com:8443": "host"]))
        #expect(try await text(client, "/movies", name: "popular") == "mine")
        let error = try await failure { () async throws(HTTPError) in
            try await text(client, "/movies", name: "unpopular")
        }
        #expect(error.description.hasSuffix("the transport failed: no preview is named unpopular"))
    }

    @Test func assetsAreDecodedAndJudgedAsResponsesAre() async throws {
        let assets = [
            "api.example.com:8443/3/greeting": try PreviewStore.Asset.json(Greeting(text: "hello")),
            "api.example.com:8443/3/none": PreviewStore.Asset(Data("none".utf8), status: .notFound),
        ]
        let client = client.previewing(.success, store: PreviewStore(assets))
        #expect(try await client.value(for: Call<Greeting>(.get, "/greeting")) == Greeting(text: "hello"))
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/greeting")))
        #expect(recording.outline == ["attempt 1", "head 200", "response 200"])
        #expect(recording.downloads.last?.fraction == 1)
        let error = try await failure { () async throws(HTTPError) in try await text(client, "/none") }
        #expect(error.status == .notFound)
    }

    @Test func loadingNeverEndsAndIsCancelled() async throws {
        let client = client.previewing(.loading)
        let request = HTTPRequest(.get, "/").settingOptions {
            $0.timeouts.connect = .milliseconds(1)
            $0.timeouts.idle = .milliseconds(1)
        }
        let recorder = EventRecorder(of: client.events(for: request))
        try await recorder.wait(for: "the attempt") { $0.eventCount == 1 }
        let recording = try await recorder.recording.waitForStandstill()
        #expect(recording.outline == ["attempt 1"] && !recording.isComplete)
        recorder.cancel()
    }

    @Test func failuresAreWhatTheyAreGivenAs() async throws {
        struct Own: Error, CustomStringConvertible { let description = "my own words" }
        let summary = HTTPError.RequestSummary(method: .get, url: "")
        let cases: [(any Error, String)] = [
            (HTTPError(.timeout(.total), request: summary), "timeout.total"),
            (HTTPError.Reason.transfer(.notHTTP), "transfer.not-http"), (HTTPStatus.forbidden, "status(403)"),
            (Own(), "thrown.transport(Own)"),
        ]
        for (given, outline) in cases {
            let error = try await failure { () async throws(HTTPError) in
                try await text(client.previewing(.failure(given)), "/movies")
            }
            #expect(error.reason.outline == outline)
            #expect(error.request.url == "https://api.example.com:8443/3/movies")
            if given is Own { #expect(error.description.contains("my own words")) }
        }
        let error = try await failure { () async throws(HTTPError) in
            try await text(client.previewing(.failure()), "/movies")
        }
        #expect(error.reason.outline == "connection.refused")
    }

    @Test func theLastModeCounts() async throws {
        let client = client.previewing(.loading).previewing(.disabled)
        #expect(try await text(client, "/") == "live")
        #expect(try await text(client.previewing(), "/") == "live")
    }

    @Test func keepsTheStoreOfAnEarlierCall() async throws {
        let client = client.previewing(.disabled, store: store(["api.example.com:8443": "host"]))
        #expect(try await text(client, "/") == "live")
        #expect(try await text(client.previewing(.success), "/") == "host")
        #expect(
            try await text(client.previewing(.success, store: store(["api.example.com:8443": "other"])), "/") == "other"
        )
    }

    private struct Movies: HTTPService {
        let baseURL = URL(literal: "https://api.example.com:8443/3")
        let store: PreviewStore?

        func configure(_ configuration: inout HTTPClient.Configuration) { configuration.previewStore = store }
    }

    @Test func previewsAServiceWithItsStore() async throws {
        let movies = ServiceClient(Movies(store: store(["api.example.com:8443": "host"])), transport: mock)
        #expect(try await text(movies.client, "/") == "live")
        #expect(try await text(movies.previewing(.success).client, "/") == "host")
        let plain = ServiceClient(Movies(store: nil), transport: mock)
        let error = try await failure { () async throws(HTTPError) in
            try await text(plain.previewing(.success).client, "/")
        }
        #expect(error.reason.outline == "thrown.transport(MissingAsset)")
    }

    @Test func previewsAServiceInXcodeWithoutACall() async throws {
        await #expect(processExitsWith: .success) {
            setenv("XCODE_RUNNING_FOR_PREVIEWS", "1", 1)
            let store = PreviewStore { name in PreviewStore.Asset(Data(name.utf8)) }
            let movies = ServiceClient(Movies(store: store), transport: MockTransport())
            let body = try await movies.response(for: HTTPRequest(.get, "/a")).body
            try #require(String(decoding: body, as: UTF8.self) == "api.example.com:8443/3/a")
        }
    }

    @Test func anXcodePreviewIsRecognised() async throws {
        await #expect(processExitsWith: .success) {
            setenv("XCODE_RUNNING_FOR_PREVIEWS", "1", 1)
            let mock = MockTransport()
            let store = PreviewStore { name in PreviewStore.Asset(Data(name.utf8)) }
            let configuration = HTTPClient.Configuration(baseURL: URL(string: "http://host"))
            let client = HTTPClient(configuration: configuration, transport: mock).previewing(store: store)
            let body = try await client.response(for: HTTPRequest(.get, "/a")).body
            try #require(String(decoding: body, as: UTF8.self) == "host/a")
        }
    }

    @Test func aStoreThatFailsFailsTheRequest() async throws {
        struct Broken: Error {}
        let client = client.previewing(.success, store: PreviewStore { _ in throw Broken() })
        let error = try await failure { () async throws(HTTPError) in try await text(client, "/") }
        #expect(error.reason.outline == "thrown.transport(Broken)")
    }
}

/// Previews in a directory.
@Suite struct PreviewDirectoryTests {
    private let folder: ScratchFolder
    private let store: PreviewStore

    init() throws {
        folder = try ScratchFolder()
        store = .directory(folder.path + "/previews")
        try folder.write("secret", to: "secret.txt")
        try folder.write("[1]", to: "previews/api.example.com/3/movies.json")
        try folder.write("plain", to: "previews/api.example.com/3/plain")
        try folder.write("text", to: "previews/api.example.com/3/plain.txt")
        try folder.write("[2]", to: "previews/api.example.com/3/movies?page=2.json")
    }

    private func text(_ name: String) throws -> String? {
        try store.asset(named: name).map { String(decoding: $0.data, as: UTF8.self) }
    }

    @Test func filesAreFoundWithAndWithoutAnExtension() throws {
        #expect(try text("api.example.com/3/movies") == "[1]")
        #expect(try store.asset(named: "api.example.com/3/movies")?.headers["Content-Type"] == "application/json")
        #expect(try text("api.example.com/3/movies.json") == "[1]")
        #expect(try text("api.example.com/3/movies?page=2") == "[2]")
        #expect(try text("api.example.com/3/plain") == "plain")
        #expect(try store.asset(named: "api.example.com/3/plain")?.headers["Content-Type"] == nil)
        for name in ["api.example.com/3/movie", "api.example.com/3", "api.example.com", "", "/", "none/3/movies"] {
            #expect(try text(name) == nil, "\(name)")
        }
    }

    @Test(arguments: [
        "../secret", "../secret.txt", "api.example.com/../../secret", "/../secret", "./../secret", "..",
        "api.example.com/3/../../../secret.txt", "../previews/api.example.com/3/movies", "secret.txt\0.json",
    ])
    func noNameLeadsOut(name: String) throws {
        #expect(try text(name) == nil)
    }

    @Test func noLinkLeadsOut() throws {
        let manager = FileManager.default
        try manager.createSymbolicLink(
            atPath: folder.path + "/previews/link.txt", withDestinationPath: folder.path + "/secret.txt")
        try manager.createSymbolicLink(atPath: folder.path + "/previews/up", withDestinationPath: folder.path)
        try manager.createSymbolicLink(
            atPath: folder.path + "/previews/inside.json",
            withDestinationPath: folder.path + "/previews/api.example.com/3/movies.json")
        #expect(try text("link") == nil && text("up/secret") == nil && text("up/secret.txt") == nil)
        #expect(try text("inside") == "[1]")
        // Also where the directory itself is named by way of a link.
        let linked = PreviewStore.directory(folder.path + "/previews/up/previews")
        #expect(try linked.asset(named: "api.example.com/3/movies") != nil)
        #expect(try linked.asset(named: "link") == nil)
    }
}
