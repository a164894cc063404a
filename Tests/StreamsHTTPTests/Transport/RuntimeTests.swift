import Testing

@testable import StreamsHTTP

/// The consequences of libcurl's version and features.
@Suite struct CurlRuntimeTests {
    private func runtime(
        _ number: UInt32, without missing: Set<CurlTransport.Runtime.Feature> = []
    ) -> CurlTransport.Runtime {
        CurlTransport.Runtime(
            version: CurlTransport.Runtime.Version(number: number),
            features: Set(CurlTransport.Runtime.Feature.allCases).subtracting(missing))
    }

    private func check(
        _ runtime: CurlTransport.Runtime, _ url: String = "http://localhost/",
        connection: RequestOptions.Connection = RequestOptions.Connection()
    ) throws -> HTTPError.InvalidRequest? {
        let request = TransportRequest(method: .get, url: try #require(URL(string: url)), connection: connection)
        do {
            try runtime.check(HandleKey(request, Route(request), bodyLength: nil))
            return nil
        } catch {
            guard case .invalidRequest(let invalid) = error.reason else { throw error }
            return invalid
        }
    }

    @Test func comparesVersionsByTheirParts() {
        let versions = [0x074A00, 0x075801, 0x080500, 0x080E01, 0x081600].map {
            CurlTransport.Runtime.Version(number: $0)
        }
        #expect(versions == versions.sorted())
        #expect(versions.map(\.description) == ["7.74.0", "7.88.1", "8.5.0", "8.14.1", "8.22.0"])
    }

    @Test func readsFeaturesFromTheirBits() {
        #expect(CurlTransport.Runtime.Feature.set(in: 0) == [])
        #expect(
            CurlTransport.Runtime.Feature.set(in: 1 << 2 | 1 << 3 | 1 << 16 | 1 << 26) == [.tls, .gzip, .http2, .zstd])
    }

    @Test func describesTheLibraryInUse() {
        let runtime = CurlTransport.runtime
        #expect(runtime.version >= CurlTransport.Runtime.minimumVersion)
        #expect(runtime.description.hasPrefix("libcurl/\(runtime.version)"))
        #expect(runtime.features.isSuperset(of: [.tls, .http2, .gzip, .unixSockets, .asynchronousLookups]))
        #expect(runtime.limitations.filter { $0 != .connectionAge && $0 != .multiplexing } == [])
    }

    @Test func refusesAnOlderVersionThanTheMinimum() throws {
        let old = runtime(0x074900)
        #expect(old.limitations == [.version, .connectionAge, .multiplexing])
        #expect(
            try check(old) == .outdatedLibrary(name: "libcurl", version: "7.73.0", minimum: "7.74.0"))
        #expect(try check(runtime(0x074A00)) == nil)
    }

    @Test func refusesOnlyWhatNeedsAMissingFeature() throws {
        let bare = runtime(0x080500, without: Set(CurlTransport.Runtime.Feature.allCases))
        #expect(
            bare.limitations == [.tls, .http2, .compression, .unixSockets, .asynchronousLookups])
        #expect(try check(bare) == nil)
        #expect(try check(bare, "https://localhost/") == .unsupportedTLS)
        for (connection, refusal) in [
            (RequestOptions.Connection.with { $0.protocolPolicy = .http2 }, HTTPError.InvalidRequest.unsupportedHTTP2),
            (RequestOptions.Connection.with { $0.unixSocketPath = "/socket" }, .unsupportedUnixSockets),
        ] {
            #expect(try check(bare, connection: connection) == refusal)
            #expect(try check(runtime(0x080500), connection: connection) == nil)
        }
        #expect(try check(runtime(0x080500), "https://localhost/") == nil)
    }

    @Test(arguments: [
        (0x074A00, 108 + 300), (0x0806FF, 108 + 300), (0x080701, 300), (0x080800, 408), (0x080E01, 408),
    ])
    func countsSentBytesOnce(version: UInt32, expected: Int64) {
        let runtime = runtime(version)
        // The size of the request as this version has it.
        let requestSize: Int64 =
            switch version {
            case ..<0x080700: 108
            case ..<0x080800: 0
            default: 408
            }
        #expect(runtime.bytesSent(requestSize: requestSize, bodySize: 300) == expected)
        #expect(runtime.limitations.contains(.sentHeadSizes) == (expected == 300))
    }

    @Test func knowsTheDifferencesBetweenVersions() {
        #expect([0x074F01, 0x075000].map { runtime($0).announcesConnections } == [false, true])
        #expect([0x074F01, 0x075000].map { runtime($0).limitations.contains(.connectionAge) } == [true, false])
        #expect([0x0804FF, 0x080500].map { runtime($0).limitations.contains(.multiplexing) } == [true, false])
        #expect([0x081500, 0x081600].map { runtime($0).checksEveryReuse } == [true, false])
        #expect([0x074B00, 0x080500, 0x080600].map { runtime($0).watchesPausedTransfers } == [false, true, false])
        #expect([0x075600, 0x075700].map { runtime($0).cachesTrustRoots } == [false, true])
        #expect([0x081200, 0x081300].map { runtime($0).comparesProxyCredentials } == [false, true])
        let affected = [0x080800, 0x080900, 0x080E01, 0x080F00].map { runtime($0).readsAfterPausingAgain }
        #expect(affected == [false, true, true, false])
        #expect(
            [0x080701, 0x080800, 0x080900].map { runtime($0).limitations.contains(.backpressure) } == [
                false, true, false,
            ])
    }
}
