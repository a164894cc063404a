import Foundation
import StreamsHTTP
import Testing

/// Connections, ranges and encodings of an independent server.
@Suite(.needs(.nginx, .openssl, .gzip), .serialized, .reservesDescriptors) struct NginxTests {
    private let client = HTTPClient.alone

    /// The progress of a download, and what was downloaded.
    private func download(_ path: String) async throws -> (progress: [TransferProgress], body: Data) {
        let request = HTTPRequest(.get, try await Nginx.shared.value.url(path))
            .settingOptions { $0.progress = .everyChunk }
        var progress: [TransferProgress] = []
        var body = Data()
        for try await event in client.events(for: request).values {
            switch event {
            case .downloadProgress(let step): progress.append(step)
            case .chunk(let data): body.append(data)
            default: break
            }
        }
        return (progress, body)
    }

    private func expectToRise(_ progress: [TransferProgress]) {
        for (before, after) in zip(progress, progress.dropFirst()) {
            #expect(before.completed <= after.completed)
            #expect(before.decoded <= after.decoded)
        }
    }

    @Test func progressCountsWireAndDecodedBytesApartWhereTheLengthIsKnown() async throws {
        let nginx = try await Nginx.shared.value
        let (progress, body) = try await download("/packed/text")
        let isWhole = body == Nginx.text
        #expect(isWhole)
        expectToRise(progress)
        let last = try #require(progress.last)
        #expect(last.completed == (try nginx.packedLength))
        #expect(last.total == last.completed)
        #expect(last.decoded == Int64(Nginx.text.count))
        #expect(last.fraction == 1)
    }

    @Test func progressHasNoFractionWhereTheServerEncodesOnTheWay() async throws {
        let (progress, body) = try await download("/gzip/text")
        let isWhole = body == Nginx.text
        #expect(isWhole)
        expectToRise(progress)
        let last = try #require(progress.last)
        #expect(last.decoded == Int64(Nginx.text.count))
        #expect(last.completed < last.decoded / 10)
        #expect(progress.allSatisfy { $0.fraction == nil && $0.total == nil })
    }

    @Test func progressOfAnUnencodedBodyCountsTheSameTwice() async throws {
        let (progress, body) = try await download("/text")
        let isWhole = body == Nginx.text
        #expect(isWhole)
        expectToRise(progress)
        #expect(progress.allSatisfy { $0.completed == $0.decoded && $0.total == Int64(Nginx.text.count) })
        #expect(progress.last?.fraction == 1)
    }

    @Test func aLimitCountsDecodedBytes() async throws {
        let nginx = try await Nginx.shared.value
        let limit = Nginx.text.count - 1
        #expect(try nginx.packedLength < limit)
        let request = HTTPRequest(.get, nginx.url("/packed/text")).settingOptions { $0.maxBodySize = limit }
        let error = try await failure { () async throws(HTTPError) in try await client.response(for: request) }
        guard case .transfer(.bodyTooLarge(limit: limit)) = error.reason else {
            Issue.record("\(error)")
            return
        }
    }

    @Test func aRangeIsServed() async throws {
        let request = HTTPRequest(.get, try await Nginx.shared.value.url("/text"), headers: ["Range": "bytes=31-61"])
        let response = try await client.response(for: request)
        #expect(response.status == 206)
        #expect(response.headers["Content-Range"] == "bytes 31-61/\(Nginx.text.count)")
        #expect(response.body == Nginx.text[31...61])
    }

    @Test func aValidatorSavesTheBody() async throws {
        let url = try await Nginx.shared.value.url("/text")
        let tag = try #require(try await client.response(for: HTTPRequest(.get, url)).headers["ETag"])
        let request = HTTPRequest(.get, url, headers: ["If-None-Match": tag])
            .settingOptions { $0.validation = .acceptAll }
        let response = try await client.response(for: request)
        #expect(response.status == 304)
        #expect(response.body.isEmpty)
    }

    @Test func oneConnectionServesRequestsInTurn() async throws {
        let url = try await Nginx.shared.value.url("/text")
        var connections: Set<String?> = []
        for method in [HTTPMethod.get, .head, .get, .head, .get] {
            connections.insert(try await client.response(for: HTTPRequest(method, url)).headers["X-Connection"])
        }
        #expect(connections.count == 1)
    }

    @Test func aConnectionSurvivesAnErrorStatus() async throws {
        let nginx = try await Nginx.shared.value
        let first = try await client.response(for: HTTPRequest(.get, nginx.url("/text"))).headers["X-Connection"]
        let missing = HTTPRequest(.get, nginx.url("/missing"))
        let error = try await failure { () async throws(HTTPError) in try await client.response(for: missing) }
        #expect(error.status == .notFound)
        #expect(error.response?.headers["X-Connection"] == first)
        #expect(try await client.response(for: HTTPRequest(.get, nginx.url("/text"))).headers["X-Connection"] == first)
    }

    @Test(arguments: [HTTPMethod.get, .put])
    func aServerMayBeRestartedBetweenRequests(method: HTTPMethod) async throws {
        let first = try await Nginx()
        let isPut = method == .put
        let request = HTTPRequest(
            method, first.url(isPut ? "/put/again" : "/text"), body: isPut ? .text("again") : .empty)
        #expect(try await client.response(for: request).status.isSuccess)
        await first.stop()
        let error = try await failure { () async throws(HTTPError) in try await client.response(for: request) }
        guard case .connection(.refused) = error.reason else {
            Issue.record("\(error)")
            return
        }
        let second = try await Nginx(port: first.port)
        #expect(try await client.response(for: request).status.isSuccess)
        await second.stop()
    }

    /// The connection that was kept is dead by the time it is wanted, and nobody has looked at it since.
    @Test(arguments: [HTTPMethod.get, .put])
    func aConnectionThatDiedUnnoticedIsReplaced(method: HTTPMethod) async throws {
        let first = try await Nginx()
        let isPut = method == .put
        let request = HTTPRequest(
            method, first.url(isPut ? "/put/again" : "/text"), body: isPut ? .text("again") : .empty)
        #expect(try await client.response(for: request).status.isSuccess)
        await first.stop()
        let second = try await Nginx(port: first.port)
        #expect(try await client.response(for: request).status.isSuccess)
        await second.stop()
    }
}
