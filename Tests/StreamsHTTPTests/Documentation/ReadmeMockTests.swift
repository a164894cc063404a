import StreamsHTTP
import Testing

@Test func theLatestReleaseIsDecoded() async throws {
    let mock = MockTransport()
    mock.on(.get, "/v1/projects/swift/releases/latest", try .json(["name": "6.3"]))
    let client = makeClient(transport: mock)
    #expect(try await client.value(for: LatestRelease(project: "swift")).name == "6.3")
}
