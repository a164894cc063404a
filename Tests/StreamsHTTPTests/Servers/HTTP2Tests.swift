import Foundation
import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// HTTP/2 where it is negotiated, and HTTP/1.1 where it would cost memory.
@Suite(.needs(.nginx, .openssl, .gzip), .serialized, .reservesDescriptors) struct HTTP2Tests {
    private let client = HTTPClient.alone

    private func request(
        _ url: String, _ policy: RequestOptions.Connection.ProtocolPolicy = .automatic
    ) async throws -> HTTPRequest {
        let roots = RequestOptions.Connection.TrustRoots.file(path: try await Nginx.shared.value.authority)
        return HTTPRequest(.get, url).settingOptions {
            $0.connection.protocolPolicy = policy
            $0.connection.trustRoots = roots
        }
    }

    /// The version of the head, once the whole body has been delivered.
    private func deliver(_ request: HTTPRequest) async throws -> (version: HTTPVersion?, body: Data) {
        var version: HTTPVersion?
        var body = Data()
        for try await event in client.events(for: request).values {
            switch event {
            case .head(let head): version = head.version
            case .chunk(let data): body.append(data)
            default: break
            }
        }
        return (version, body)
    }

    @Test(arguments: [
        (RequestOptions.Connection.ProtocolPolicy.automatic, HTTPVersion.http2), (.http2, .http2), (.http1, .http11),
    ])
    func collectedBodiesComeByWhatIsNegotiated(
        policy: RequestOptions.Connection.ProtocolPolicy, version: HTTPVersion
    ) async throws {
        let url = try await Nginx.shared.value.secureURL("/text")
        let response = try await client.response(for: try await request(url, policy))
        #expect(response.version == version)
        let isWhole = response.body == Nginx.text
        #expect(isWhole)
    }

    @Test(arguments: [
        (RequestOptions.Connection.ProtocolPolicy.automatic, HTTPVersion.http2), (.http2, .http2), (.http1, .http11),
    ])
    func deliveredBodiesComeByWhatIsNegotiated(
        policy: RequestOptions.Connection.ProtocolPolicy, version: HTTPVersion
    ) async throws {
        let url = try await Nginx.shared.value.secureURL("/text")
        let delivered = try await deliver(try await request(url, policy))
        #expect(delivered.version == version)
        let isWhole = delivered.body == Nginx.text
        #expect(isWhole)
    }

    /// The initial window of a stream, and more.
    @Test(arguments: [65_535, 65_536, 1 << 20]) func sendsBodiesByHTTP2(size: Int) async throws {
        let nginx = try await Nginx.shared.value
        let name = "early-\(size)"
        let content = Data(GeneratedBytes.bytes(0..<size))
        var upload = try await request(nginx.secureURL("/put/\(name)"))
        (upload.method, upload.body) = (.put, .data(content))
        let response = try await client.response(for: upload)
        #expect(response.status.isSuccess && response.version == .http2)
        let isWhole = try Data(contentsOf: URL(filePath: nginx.stored(name))) == content
        #expect(isWhole)
    }

    @Test func oneTransportKeepsTheVersionsApart() async throws {
        let url = try await Nginx.shared.value.secureURL("/text")
        let policies: [RequestOptions.Connection.ProtocolPolicy] = [.automatic, .http1, .automatic, .http1]
        for policy in policies {
            let response = try await client.response(for: try await request(url, policy))
            #expect(response.version == (policy == .http1 ? .http11 : .http2))
            let isWhole = response.body == Nginx.text
            #expect(isWhole)
        }
    }

    @Test func clearTextIsHTTP1() async throws {
        let url = try await Nginx.shared.value.url("/text")
        #expect(try await client.response(for: try await request(url)).version == .http11)
    }

    /// nginx hands the requests to a server of ours, which answers none of them before it has all.
    @Test(.reservesDescriptors(120)) func aHundredRequestsShareOneConnection() async throws {
        let count = 100
        let origin = try LoopbackServer()
        let gate = Gate()
        origin.on("GET", "/proxy/held") { Reply.text($0.target).held(by: gate) }
        let nginx = try await Nginx.shared.value
        let connections = try await withThrowingTaskGroup(of: String?.self) { group in
            for number in 0..<count {
                let target = "/proxy/held?port=\(origin.port)&number=\(number)"
                let request = try await request(nginx.secureURL(target))
                group.addTask { [client] in
                    let response = try await client.response(for: request)
                    #expect(response.body == Data(target.utf8))
                    return response.headers["X-Connection"]
                }
            }
            try await origin.wait(within: .seconds(240)) { $0.requests.count == count }
            gate.open()
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(connections.count == 1)
        #expect(!connections.contains(nil))
    }

    @Test func aStreamThatWaitsHoldsUpNoOther() async throws {
        let nginx = try await Nginx.shared.value
        let origin = try LoopbackServer()
        origin.on("GET", "/large", .generated(256 << 20))
        let large = nginx.secureURL("/unbuffered/large?port=\(origin.port)")
        let recorder = EventRecorder<Void>(demand: .max(2))
        client.events(for: try await request(large)).subscribe(recorder)
        try await recorder.recording.wait(for: "the head of a stream") { recording in
            if case .head(let head) = recording.events.last { head.version == .http2 } else { false }
        }
        let request = try await request(nginx.secureURL("/text"))
        for _ in 0..<3 {
            let response = try await client.response(for: request)
            #expect(response.version == .http2)
            let isWhole = response.body == Nginx.text
            #expect(isWhole)
        }
        recorder.cancel()
    }

    @Test func oneCancelledStreamLeavesTheOthersOfItsConnectionAlone() async throws {
        let origin = try LoopbackServer()
        let gate = Gate()
        origin.on("GET", "/proxy/held", Reply.text("held").held(by: gate))
        let url = try await Nginx.shared.value.secureURL("/proxy/held?port=\(origin.port)")
        let request = try await request(url)
        let tasks = (0..<10).map { _ in Task { [client] in try await client.response(for: request) } }
        try await origin.wait(within: .seconds(240)) { $0.requests.count == tasks.count }
        for task in tasks.dropLast() { task.cancel() }
        for task in tasks.dropLast() {
            let error = await #expect(throws: HTTPError.self) { try await task.value }
            #expect(error?.isCancellation == true)
        }
        gate.open()
        let survivor = try await tasks[tasks.count - 1].value
        #expect(survivor.body == Data("held".utf8))
        let next = try await client.response(for: request)
        #expect(next.headers["X-Connection"] == survivor.headers["X-Connection"])
    }
}
