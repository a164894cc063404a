import CLibcurl
import Foundation
import Testing

@testable import StreamsHTTP

/// Connections on which HTTP/2 is offered, with the test in the loop's place.
@Suite(
    .needs(.nginx, .openssl, .gzip, .python3), .serialized, .reservesDescriptors,
    .enabled(if: CurlTransport.runtime.features.contains(.http2), "libcurl's TLS library is not OpenSSL"))
struct NegotiationTests {
    /// An opened connection, which is closed by now.
    private struct Opening: Equatable {
        /// libcurl's result.
        let code: CInt
        let selected: NegotiatedProtocol
        let handle: ObjectIdentifier
    }

    private let poller: SocketPoller
    private let handlePool: HandlePool

    init() throws {
        poller = try SocketPoller()
        handlePool = HandlePool(CurlTransport.Configuration())
    }

    /// Opens a connection, and closes it.
    ///
    /// - Parameters:
    ///   - authority: The file of the certificate authority that signed the server's certificate.
    ///   - proxyAuthority: The file of the authority that signed the proxy's certificate.
    ///   - use: Uses the connection before it is closed.
    private func open(
        _ url: String, trusting authority: String, offersHTTP2: Bool = true,
        through proxy: RequestOptions.Connection.Proxy = .none, trusting proxyAuthority: String? = nil,
        use: (CurlHandle) throws -> Void = { _ in }
    ) throws -> Opening {
        let request = TransportRequest(
            method: .get, url: try #require(URL(string: url)),
            connection: .with {
                $0.trustRoots = .file(path: authority)
                $0.proxy = proxy
            })
        let opening = ConnectionOpening(for: Exchange(request, receiver: TransportRecorder()))
        try opening.prepare(handlePool, poller, NameLookups(reserve: nil), offersHTTP2: offersHTTP2)
        let handle = try #require(opening.handle)
        if let proxyAuthority {
            #expect(streams_curl_set_string(handle.easy, CurlOptionProxyTrustFile, proxyAuthority) == 0)
        }
        let multi = try MultiHandle(poller, isOfOneConnection: true)
        defer { multi.close() }
        try opening.add(to: multi)
        defer {
            opening.detach()
            opening.dispose(to: handlePool)
        }
        let code = try result(of: multi)
        if code == 0 {
            _ = opening.noticeOpened()
            try use(handle)
        }
        return Opening(code: code, selected: handle.negotiatedProtocol, handle: ObjectIdentifier(handle))
    }

    /// Runs libcurl until it has a result.
    private func result(of multi: MultiHandle) throws -> CInt {
        let limit = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < limit {
            let now = MonotonicTime.now
            multi.actOnTimer(now: now)
            if let message = multi.nextMessage() { return message.code }
            poller.forEachEvent(poller.wait(milliseconds: 10)) { event in
                if case .opening(let multi, let descriptor, let readiness) = event {
                    multi.act(descriptor, readiness)
                }
            }
        }
        throw TransportFailure(.timeout(.connect))
    }

    // MARK: Servers

    @Test func selectsHTTP2() async throws {
        let nginx = try await Nginx.shared.value
        let opening = try open(nginx.secureURL("/"), trusting: nginx.authority)
        #expect(opening.code == 0 && opening.selected == .http2)
    }

    @Test func selectsHTTP1OfServerWithoutHTTP2() async throws {
        let nginx = try await Nginx.shared.value
        let opening = try open(nginx.cappedURL, trusting: nginx.authority)
        #expect(opening.code == 0 && opening.selected == .http1)
    }

    @Test(
        arguments: [("h2", .http2), ("h2,http/1.1", .http2), ("http/1.1", .http1), (nil, .none)]
            as [(String?, NegotiatedProtocol)])
    func selectsProtocolOfServer(protocols: String?, expected: NegotiatedProtocol) async throws {
        let server = try await TLSServer(selectingFrom: protocols)
        let opening = try open(server.url, trusting: server.authority)
        #expect(opening.code == 0 && opening.selected == expected)
        await server.stop()
    }

    /// The server sends the alert `no_application_protocol`.
    @Test func failsWithoutCommonProtocol() async throws {
        let server = try await TLSServer(selectingFrom: "spdy/3")
        let opening = try open(server.url, trusting: server.authority)
        #expect(opening.code == 35 && opening.selected == .none)
        await server.stop()
    }

    /// The server selects from libcurl's own offer, which is HTTP/1.1 alone.
    @Test func readsNothingWithoutOffer() async throws {
        let nginx = try await Nginx.shared.value
        let opening = try open(nginx.secureURL("/"), trusting: nginx.authority, offersHTTP2: false)
        #expect(opening.code == 0 && opening.selected == .none)
    }

    // MARK: Proxies

    @Test func selectsHTTP2ThroughTunnel() async throws {
        let nginx = try await Nginx.shared.value
        let proxy = try TunnelProxy()
        let opening = try open(nginx.secureURL("/"), trusting: nginx.authority, through: .url(proxy.url()))
        #expect(opening.code == 0 && opening.selected == .http2)
        #expect(proxy.tunnels.value.count == 1)
    }

    /// The proxy would select HTTP/2.
    @Test func offersNothingToTLSProxy() async throws {
        let nginx = try await Nginx.shared.value
        let tunnel = try TunnelProxy()
        let proxy = try await TLSProxy(inFrontOf: tunnel)
        for (url, expected) in [(nginx.secureURL("/"), NegotiatedProtocol.http2), (nginx.cappedURL, .http1)] {
            let opening = try open(
                url, trusting: nginx.authority, through: .url(proxy.url), trusting: proxy.authority)
            #expect(opening.code == 0 && opening.selected == expected)
        }
        #expect(tunnel.tunnels.value.count == 2)
        #expect(try proxy.selectedProtocols == ["None", "None"])
        await proxy.stop()
    }

    // MARK: Handles

    @Test func readsLastConnectionOfReusedHandle() async throws {
        let nginx = try await Nginx.shared.value
        let first = try open(nginx.secureURL("/"), trusting: nginx.authority)
        let second = try open(nginx.cappedURL, trusting: nginx.authority)
        let third = try open(nginx.secureURL("/"), trusting: nginx.authority)
        #expect([first, second, third].map(\.selected) == [.http2, .http1, .http2])
        #expect([second, third].map(\.handle) == [first.handle, first.handle])
    }

    @Test func keepsOfferOutOfOtherHandles() async throws {
        let nginx = try await Nginx.shared.value
        let offering = try open(nginx.secureURL("/"), trusting: nginx.authority)
        let other = try open(nginx.secureURL("/"), trusting: nginx.authority, offersHTTP2: false)
        #expect(offering.selected == .http2 && other.selected == .none)
        #expect(offering.handle != other.handle)
    }

    /// A read takes as much as TLS has decrypted, which is a record: libcurl itself may read less at a time.
    @Test func readsWholeRecords() async throws {
        let nginx = try await Nginx.shared.value
        var content: [UInt8] = []
        var counts: [Int] = []
        _ = try open(nginx.secureURL("/"), trusting: nginx.authority, offersHTTP2: false) { handle in
            let request = Array("GET /text HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n".utf8)
            var sentCount = 0
            #expect(curl_easy_send(handle.easy, request, request.count, &sentCount) == 0 && sentCount == request.count)
            while let bytes = try read(handle), !bytes.isEmpty {
                content += bytes
                counts.append(bytes.count)
            }
        }
        let isExact = content.suffix(Nginx.text.count).elementsEqual(Nginx.text)
        #expect(isExact && counts.max() == 16_384)
    }

    /// libcurl neither sends a preface of its own nor reads the server's first frame.
    @Test func exchangesPrefacesOverSelectedHTTP2() async throws {
        let nginx = try await Nginx.shared.value
        var frame: [UInt8] = []
        _ = try open(nginx.secureURL("/"), trusting: nginx.authority) { handle in
            let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
            let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + settings
            var sentCount = 0
            #expect(curl_easy_send(handle.easy, preface, preface.count, &sentCount) == 0)
            #expect(sentCount == preface.count)
            frame = try receive(9, from: handle)
        }
        // A frame of the type SETTINGS without flags, of the connection.
        #expect(frame.dropFirst(3) == [4, 0, 0, 0, 0, 0])
    }

    private func receive(_ count: Int, from handle: CurlHandle) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let part = try read(handle, upTo: count - bytes.count) { bytes += part }
        return bytes
    }

    /// Reads the connection once it has bytes.
    ///
    /// - Returns: The bytes; none if the server has closed the connection, `nil` if none come in time.
    private func read(_ handle: CurlHandle, upTo size: Int = 64 * 1024) throws -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: size)
        let limit = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < limit {
            var count = 0
            let code = curl_easy_recv(handle.easy, &bytes, bytes.count, &count)
            if code != CInt(CurlAgain) {
                try #require(code == 0)
                return Array(bytes[..<count])
            }
            _ = poller.wait(milliseconds: 10)
        }
        return nil
    }
}

/// The keys of handles that offer HTTP/2.
@Suite struct OfferTests {
    private func key(_ url: String, offersHTTP2: Bool) throws -> HandleKey {
        let request = TransportRequest(method: .get, url: try #require(URL(string: url)))
        return HandleKey(request, Route(request), offersHTTP2: offersHTTP2)
    }

    @Test func tellsWhetherTLSLibraryIsSuitable() {
        let runtime = CurlTransport.Runtime.current
        let isSuitable = ["OpenSSL/", "LibreSSL/", "BoringSSL"].contains { runtime.description.contains(" \($0)") }
        #expect(runtime.features.contains(.http2) == isSuitable)
    }

    @Test func offersHTTP2OnlyOverTLS() throws {
        let canOffer = CurlTransport.runtime.features.contains(.http2)
        #expect(try key("https://localhost/", offersHTTP2: true).offersHTTP2 == canOffer)
        #expect(try !key("https://localhost/", offersHTTP2: false).offersHTTP2)
        #expect(try !key("http://localhost/", offersHTTP2: true).offersHTTP2)
    }

    @Test func separatesHandlesByTheirOffers() throws {
        let keys = try [true, false].map { try key("https://localhost/", offersHTTP2: $0) }
        #expect((keys[0] != keys[1]) == CurlTransport.runtime.features.contains(.http2))
        #expect(try key("http://localhost/", offersHTTP2: true) == key("http://localhost/", offersHTTP2: false))
    }
}
