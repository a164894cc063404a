import Foundation
import Testing

@testable import StreamsHTTP

@Suite struct CacheKeyTests {
    private func key(
        _ url: String, _ change: (inout RequestOptions.Connection) -> Void = { _ in }
    ) -> CacheKey {
        var connection = RequestOptions.Connection()
        change(&connection)
        return CacheKey(url: LazyURL(url), connection: connection)
    }

    @Test func equalURLsHaveOneKey() {
        let key = key("http://a.example/x?y")
        for url in ["http://a.example/x?y#z", "HTTP://A.Example:80/x?y", "http://a.example:/x?y"] {
            #expect(self.key(url) == key, "\(url)")
        }
        #expect(self.key("http://a.example") == self.key("http://a.example/"))
        #expect(self.key("http://a.example?y") == self.key("http://a.example/?y"))
    }

    @Test func otherURLsHaveOtherKeys() {
        let urls = [
            "http://a.example/x", "https://a.example/x", "http://a.example:81/x", "http://b.example/x",
            "http://a.example/X", "http://a.example/x?", "http://a.example/x/", "http://a.example/x?y",
        ]
        #expect(Set(urls.map { key($0) }).count == urls.count)
    }

    /// A response of another server, or of one that was trusted for less, is not used.
    @Test func optionsThatDecideWhoAnswersArePartOfTheKey() throws {
        let address = try #require(IPAddress("127.0.0.1"))
        let url = "http://a.example/x"
        let keys = [
            key(url), key(url) { $0.decodesContent = false }, key(url) { $0.unixSocketPath = "/s" },
            key(url) { $0.unixSocketPath = "/t" }, key(url) { $0.resolve = ["A.example": address] },
            key(url) { $0.trustRoots = .insecureAcceptAny }, key(url) { $0.trustRoots = .file(path: "/s") },
            key(url) { $0.pinnedPublicKeys = ["a"] }, key(url) { $0.pinnedPublicKeys = ["a", "b"] },
        ]
        #expect(Set(keys).count == keys.count)
        #expect(key(url) { $0.resolve = ["b.example": address] } == key(url))
        #expect(key(url) { $0.protocolPolicy = .http1 } == key(url))
    }

    @Test func variantsHaveKeysOfTheirOwn() {
        let root = key("http://a.example/x")
        let identity = CacheIdentity(digest: Array(repeating: 1, count: 32))
        let keys = [
            root, root.variant(generation: 1, identity: nil, fields: []),
            root.variant(generation: 2, identity: nil, fields: []),
            root.variant(generation: 1, identity: identity, fields: []),
            root.variant(generation: 1, identity: nil, fields: [SelectingField(name: "a", value: nil)]),
            root.variant(generation: 1, identity: nil, fields: [SelectingField(name: "a", value: "")]),
            root.variant(generation: 1, identity: nil, fields: [SelectingField(name: "a", value: "bc")]),
            root.variant(generation: 1, identity: nil, fields: [SelectingField(name: "ab", value: "c")]),
        ]
        #expect(Set(keys).count == keys.count)
    }

    @Test func keysAreMadeOfTheirBytes() {
        let key = key("http://a.example/x")
        #expect(key.bytes.count == CacheKey.size && CacheKey(bytes: key.bytes) == key)
        #expect(CacheKey(bytes: key.bytes.dropLast()) == nil)
        #expect(key.description.count == 64 && key.description.hasPrefix(String(key.bytes[0], radix: 16)))
    }

    // MARK: Credentials

    private func identity(
        _ headers: HTTPHeaders, secret: [UInt8] = cacheSecret, _ change: (inout TransportRequest) -> Void = { _ in }
    ) -> CacheIdentity? {
        CacheIdentity(of: .cached(.get, "http://a.example/x", headers, change), secret: secret)
    }

    @Test func credentialsMakeTheIdentity() throws {
        #expect(identity(["Accept": "a", "X-Team": "b"]) == nil)
        let first = try #require(identity(["Authorization": "Bearer a"]))
        #expect(first == self.identity(["Accept": "x", "authorization": "Bearer a"]))
        let others = [
            self.identity(["Authorization": "Bearer b"]), self.identity(["Cookie": "Bearer a"]),
            self.identity(["Proxy-Authorization": "Bearer a"]), self.identity(["X-Api-Key": "Bearer a"]),
            self.identity(["Authorization": "Bearer a"], secret: [1]),
            self.identity(["Authorization": "Bearer a", "Cookie": "a=b"]),
            self.identity([:]) { $0.headers.add("X-Team", "a", isSensitive: true) },
            self.identity([:]) {
                $0.connection.clientCertificate = .init(certificatePath: "/a", keyPath: "/b", password: "c")
            },
        ]
        #expect(others.allSatisfy { $0 != nil && $0 != first })
        #expect(Set(others).count == others.count)
    }

    @Test func theOrderOfNamesDoesNotCount() {
        #expect(
            identity(["Cookie": "a=b", "Authorization": "c"]) == identity(["Authorization": "c", "cookie": "a=b"]))
        var first = HTTPHeaders(), second = HTTPHeaders()
        for value in ["a", "b"] { first.add("Cookie", value) }
        for value in ["b", "a"] { second.add("Cookie", value) }
        #expect(identity(first) != identity(second))
        #expect(identity(first)?.isOfCookies == true)
        #expect(identity(["Cookie": "a", "Authorization": "b"])?.isOfCookies == false)
    }

    /// Without the secret of the store, nothing that is written tells anything about the credentials.
    @Test func recordsHaveNoSecrets() throws {
        let headers: HTTPHeaders = ["Authorization": "Bearer hunter2", "Cookie": "session=hunter2", "Accept": "a/b"]
        let request = TransportRequest.cached(.get, "http://a.example/x?token=hunter2", headers) {
            $0.headers.add("X-Team", "hunter2", isSensitive: true)
        }
        let stored = StoredResponse.stored(
            [
                "Cache-Control": "max-age=60", "Vary": "Authorization, Cookie, X-Team, Accept",
                "Set-Cookie": "a=hunter2",
            ],
            for: request)
        let data = CacheRecord.response(try #require(stored)).encoded()
        #expect(data.range(of: Data("hunter2".utf8)) == nil)
        #expect(data.range(of: Data("a/b".utf8)) != nil)
    }

    /// RFC 4231, the first and the third case, and a key that is longer than a block.
    @Test func theDigestIsAnHMAC() {
        func digest(_ key: [UInt8], _ text: [UInt8]) -> [UInt8] {
            var writer = DigestWriter(key: key)
            writer.appendBytes(text)
            return writer.digest()
        }
        let hex = { (bytes: [UInt8]) in bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
        #expect(
            hex(digest(Array(repeating: 0x0B, count: 20), Array("Hi There".utf8)))
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        #expect(
            hex(
                digest(
                    Array(repeating: 0xAA, count: 131),
                    Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)))
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }
}
