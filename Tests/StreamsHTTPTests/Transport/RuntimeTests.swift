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
            try runtime.check(HandleKey(request, Route(request)))
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
        // Those of `gzip`, HTTP/2 and `zstd` are of no use.
        let mask: UInt32 = 1 << 2 | 1 << 3 | 1 << 16 | 1 << 19 | 1 << 26
        #expect(CurlTransport.Runtime.Feature.set(in: mask) == [.tls, .unixSockets])
    }

    @Test func describesTheLibraryInUse() {
        let runtime = CurlTransport.runtime
        #expect(runtime.version >= CurlTransport.Runtime.minimumVersion)
        #expect(runtime.description.hasPrefix("libcurl/\(runtime.version)"))
        #expect(runtime.features.isSuperset(of: [.tls, .http2, .gzip, .unixSockets, .asynchronousLookups]))
        #expect(runtime.limitations == [])
    }

    @Test func refusesAnOlderVersionThanTheMinimum() throws {
        let old = runtime(0x074900)
        #expect(old.limitations == [.version])
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
        let unixSocket = RequestOptions.Connection.with { $0.unixSocketPath = "/socket" }
        #expect(try check(bare, connection: unixSocket) == .unsupportedUnixSockets)
        #expect(try check(runtime(0x080500), connection: unixSocket) == nil)
        #expect(try check(runtime(0x080500), "https://localhost/") == nil)
    }

    @Test func refusesHTTP2OnlyIfItMustBeOffered() throws {
        let http2 = RequestOptions.Connection.with { $0.protocolPolicy = .http2 }
        let runtimes = (runtime(0x080500), without: runtime(0x080500, without: [.http2]))
        #expect(try check(runtimes.without, "https://localhost/", connection: http2) == .unsupportedHTTP2)
        #expect(try check(runtimes.without, "https://localhost/") == nil)
        #expect(try check(runtimes.without, connection: http2) == nil)
        #expect(try check(runtimes.0, "https://localhost/", connection: http2) == nil)
    }

    @Test func knowsTheDifferencesBetweenVersions() {
        #expect([0x074AFF, 0x074B00].map { runtime($0).closesOpenedConnections } == [false, true])
        #expect([0x074F01, 0x075000].map { runtime($0).announcesConnections } == [false, true])
        #expect([0x075600, 0x075700].map { runtime($0).cachesTrustRoots } == [false, true])
        #expect([0x0807FF, 0x080800].map { runtime($0).letsDescriptorsBeInherited } == [true, false])
    }
}
