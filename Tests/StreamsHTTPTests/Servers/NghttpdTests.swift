import Foundation
import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// HTTP/2 with a server that speaks nothing else.
@Suite(.needs(.nghttpd), .serialized, .reservesDescriptors) struct NghttpdTests {
    private let client = HTTPClient.alone

    private static func request(
        _ method: HTTPMethod = .get, _ url: String, body: HTTPBody = .empty, authority: String? = nil
    ) -> HTTPRequest {
        HTTPRequest(method, url, body: body).settingOptions {
            let trustRoots = authority.map { RequestOptions.Connection.TrustRoots.file(path: $0) } ?? .system
            $0.connection.protocolPolicy = .http2
            $0.connection.trustRoots = trustRoots
        }
    }

    @Test func http2IsSpokenAtOnceOverClearText() async throws {
        let server = try await Nghttpd.clear.value
        let response = try await client.response(for: Self.request(.get, server.url("/text")))
        #expect(response.version == .http2)
        #expect(response.status == .ok)
        #expect(response.body == Data("over HTTP/2".utf8))
    }

    @Test func aBodyIsPosted() async throws {
        let server = try await Nghttpd.clear.value
        let body = Data(GeneratedBytes.bytes(0..<1_000_000))
        let response = try await client.response(for: Self.request(.post, server.url("/echo"), body: .data(body)))
        #expect(response.version == .http2)
        let isEchoed = response.body == body
        #expect(isEchoed)
    }

    @Test func aStreamOfUnknownLengthIsPosted() async throws {
        let server = try await Nghttpd.clear.value
        let pieces = (0..<200).map { Data(GeneratedBytes.bytes($0 * 5_000..<($0 + 1) * 5_000)) }
        let publisher = Publishers.Sequence<[Data], any Error>(sequence: pieces)
        let request = Self.request(.post, server.url("/echo"), body: .stream(publisher))
        let response = try await client.response(for: request)
        let isEchoed = response.body == Data(pieces.joined())
        #expect(isEchoed)
    }

    @Test func postsCompressedStream() async throws {
        let server = try await Nghttpd.clear.value
        let pieces = (0..<200).map { piece in
            Data((piece * 1_000..<(piece + 1) * 1_000).map { "line \($0)\n" }.joined().utf8)
        }
        let publisher = Publishers.Sequence<[Data], any Error>(sequence: pieces)
        let request = Self.request(.post, server.url("/echo"), body: .stream(publisher).compressed())
        let response = try await client.response(for: request)
        #expect(response.version == .http2)
        // The echo is compressed, but does not say so.
        let isEchoed = ContentCoding.decoded(response.body, of: ["gzip"], limit: 1 << 30) == Data(pieces.joined())
        #expect(isEchoed)
    }

    /// The server ends the stream after its response (RFC 9113, section 8.1).
    @Test func aBodyThatTheServerDoesNotReadIsSentOnce() async throws {
        let server = try await Nghttpd.early.value
        let body = Data(GeneratedBytes.bytes(0..<5_000_000))
        let request = Self.request(.put, server.url("/missing"), body: .data(body)).settingOptions {
            $0.retry = RetryPolicy(maxRetries: 3, backoff: .constant(.zero))
        }
        let recording = try await EventRecorder.record(client.events(for: request))
        #expect(recording.attempts.count == 1)
        #expect(recording.failure?.status == .notFound)
    }

    @Test func anErrorStatusIsAnErrorHereToo() async throws {
        let request = Self.request(.get, try await Nghttpd.clear.value.url("/missing"))
        let error = try await failure { () async throws(HTTPError) in try await client.response(for: request) }
        #expect(error.status == .notFound)
    }

    @Test(.needs(.openssl)) func http2IsNegotiatedOverTLS() async throws {
        let server = try await Nghttpd.secure.value
        let authority = try #require(server.authority)
        let request = HTTPRequest(.get, server.url("/text")).settingOptions {
            $0.connection.trustRoots = .file(path: authority)
        }
        let response = try await client.response(for: request)
        #expect(response.version == .http2)
        #expect(response.body == Data("over HTTP/2".utf8))
    }

    @Test func http1AtAServerOfHTTP2IsNoReply() async throws {
        let request = HTTPRequest(.get, try await Nghttpd.clear.value.url("/text"))
        let error = try await failure { () async throws(HTTPError) in try await client.response(for: request) }
        guard case .transfer = error.reason else {
            Issue.record("\(error)")
            return
        }
    }

    #if os(Linux)
    /// libcurl goes on filling the window of a paused stream while others use its connection, and releases before
    /// 8.2 leak what they hold for it when it is removed.
    @Test(.needs(.openssl)) func cancellingPausedStreamsKeepsNothing() async throws {
        let server = try await Nghttpd.secure.value
        let authority = try #require(server.authority)
        let url = server.url("/large")
        await #expect(processExitsWith: .success) { [url = url as String, authority = authority as String] in
            let client = HTTPClient.alone
            let request = Self.request(.get, url, authority: authority)
            let head = Self.request(.head, url, authority: authority)
            // The engine frees what belongs to cancelled streams before it makes another request.
            _ = try await client.response(for: head)
            let floor = Memory.inUse
            for _ in 0..<40 {
                let paused = HeldBody()
                client.events(for: request).subscribe(paused)
                try await paused.untilItHasReceived(1)
                // The paused stream's window fills while another stream reads. That one is never paused:
                // libcurl 7.74 runs out of memory for a stream that is paused again and again.
                let companion = HeldBody(demand: .unlimited)
                client.events(for: request).subscribe(companion)
                try await companion.untilItHasReceived(8 << 20)
                companion.cancel()
                paused.cancel()
            }
            _ = try await client.response(for: head)
            let growth = Memory.inUse - floor
            #expect(Memory.isDistorted || growth < 96 << 20, "\(growth) bytes")
        }
    }
    #endif
}
