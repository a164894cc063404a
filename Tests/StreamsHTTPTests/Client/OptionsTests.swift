import Testing

@testable import StreamsHTTP

/// Options and requests are values, though copies share their memory.
@Suite struct OptionsTests {
    @Test func copiesOfConnectionOptionsAreIndependent() {
        let original = ConnectionOptions(protocolPolicy: .http1, unixSocketPath: "/socket")
        var copy = original
        copy.decodesContent = false
        copy.proxy = .none
        #expect(original == ConnectionOptions(protocolPolicy: .http1, unixSocketPath: "/socket"))
        #expect(
            copy
                == ConnectionOptions(
                    protocolPolicy: .http1, unixSocketPath: "/socket", decodesContent: false, proxy: .none))
        #expect(copy != original)
        #expect(Set([original, copy, original]).count == 2)
    }

    @Test func everyConnectionOptionIsKept() {
        var options = ConnectionOptions()
        options.protocolPolicy = .http2
        options.trustRoots = .insecureAcceptAny
        options.unixSocketPath = "/socket"
        options.decodesContent = false
        options.proxy = .none
        options.clientCertificate = .init(certificatePath: "/certificate", keyPath: "/key")
        #expect(options.protocolPolicy == .http2)
        #expect(options.trustRoots == .insecureAcceptAny)
        #expect(options.unixSocketPath == "/socket")
        #expect(!options.decodesContent)
        #expect(options.proxy == .none)
        #expect(options.clientCertificate?.keyPath == "/key")
        let address = IPAddress("192.0.2.1")
        options.minimumTLSVersion = .tls13
        options.pinnedPublicKeys = ["key"]
        options.resolve["name"] = address
        options.allowsAddress = .publicOnly
        #expect(options.minimumTLSVersion == .tls13 && ConnectionOptions().minimumTLSVersion == .tls12)
        #expect(options.pinnedPublicKeys == ["key"])
        #expect(options.resolve["name"] == address)
        #expect(options.allowsAddress == .publicOnly)
    }

    @Test func copiesOfRequestOptionsAreIndependent() {
        let original = RequestOptions()
        var copy = original
        copy.maxBodySize = 1
        copy.timeouts = .init(connect: nil)
        #expect(original.maxBodySize == nil)
        #expect(original.timeouts == nil)
        #expect(copy.maxBodySize == 1)
        #expect(copy.timeouts == RequestOptions.Timeouts(connect: nil))
    }

    @Test func whatIsLeftOpenIsTakenFromTheDefaults() {
        var own = RequestOptions()
        var defaults = RequestOptions()
        own.maxBodySize = 1
        defaults.maxBodySize = 2
        defaults.maxErrorBodySize = 3
        #expect(own.merging(defaults: defaults).maxBodySize == 1)
        #expect(own.merging(defaults: defaults).maxErrorBodySize == 3)
        #expect(own.merging(defaults: RequestOptions()).maxBodySize == 1)
        #expect(RequestOptions().merging(defaults: defaults).maxBodySize == 2)
        #expect(RequestOptions().maxBodySize == nil)
    }

    @Test func copiesOfATransportRequestAreIndependent() throws {
        let original = TransportRequest(method: .get, url: try #require(URL(string: "http://h/")), window: 7)
        var copy = original
        copy.headers.add("A", "1")
        copy.method = .head
        copy.wantsMetrics = true
        #expect(original.headers.isEmpty)
        #expect(original.method == .get)
        #expect(!original.wantsMetrics)
        #expect(copy.headers["A"] == "1")
        #expect(copy.method == .head)
        #expect(copy.wantsMetrics)
        #expect(copy.window == 7)
    }

    /// What many keep for as long as a request is under way is no larger than a pointer.
    @Test func whatManyKeepIsSmall() {
        #expect(MemoryLayout<ConnectionOptions>.size == MemoryLayout<Int>.size)
        #expect(MemoryLayout<RequestOptions>.size == MemoryLayout<Int>.size)
        #expect(MemoryLayout<TransportRequest>.size == MemoryLayout<Int>.size)
        #expect(MemoryLayout<HTTPError>.size == MemoryLayout<Int>.size)
    }

    @Test func whatIsPrintedOfThemIsWhatTheyHold() throws {
        var options = RequestOptions()
        options.maxBodySize = 4711
        options.connection = ConnectionOptions(unixSocketPath: "/socket")
        #expect("\(options)".contains("maxBodySize: Optional(4711)"))
        #expect("\(options)".contains("/socket"))
        let request = TransportRequest(method: .put, url: try #require(URL(string: "http://h/")), window: 4711)
        #expect("\(request)".contains("window: 4711"))
    }
}
