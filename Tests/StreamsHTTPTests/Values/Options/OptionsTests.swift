import Testing

@testable import StreamsHTTP

/// Options and requests are values, though copies share their memory.
@Suite struct OptionsTests {
    @Test func copiesOfConnectionOptionsAreIndependent() {
        let original = RequestOptions.Connection.with {
            $0.protocolPolicy = .http1
            $0.unixSocketPath = "/socket"
        }
        var copy = original
        copy.decodesContent = false
        copy.proxy = .none
        #expect(original.decodesContent && original.proxy == .environment)
        #expect(copy.protocolPolicy == .http1 && copy.unixSocketPath == "/socket")
        #expect(!copy.decodesContent && copy.proxy == .none)
        #expect(copy != original)
        #expect(Set([original, copy, original]).count == 2)
    }

    @Test func everyConnectionOptionIsKept() {
        var options = RequestOptions.Connection()
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
        #expect(options.minimumTLSVersion == .tls13 && RequestOptions.Connection().minimumTLSVersion == .tls12)
        #expect(options.pinnedPublicKeys == ["key"])
        #expect(options.resolve["name"] == address)
        #expect(options.allowsAddress == .publicOnly)
    }

    @Test func copiesOfRequestOptionsAreIndependent() {
        let original = RequestOptions()
        var copy = original
        copy.maxBodySize = 1
        copy.timeouts.connect = nil
        #expect(original.maxBodySize == nil)
        #expect(original.timeouts.connect == .seconds(30))
        #expect(copy.maxBodySize == 1)
        #expect(copy.timeouts.connect == nil)
    }

    /// An option, with another value than its default.
    struct Option: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout RequestOptions) -> Void
        let setDefault: @Sendable (inout RequestOptions) -> Void

        init<Value: Sendable>(
            _ name: String, _ path: any WritableKeyPath<RequestOptions, Value> & Sendable, _ value: Value
        ) {
            testDescription = name
            change = { $0[keyPath: path] = value }
            setDefault = { $0[keyPath: path] = RequestOptions()[keyPath: path] }
        }
    }

    private static let options = [
        Option("timeouts.connect", \.timeouts.connect, .seconds(7)), Option("timeouts.idle", \.timeouts.idle, nil),
        Option("timeouts.total", \.timeouts.total, .seconds(7)),
        Option("timeouts.errorBody", \.timeouts.errorBody, nil),
        Option("timeouts.minimumRate", \.timeouts.minimumRate, .init(bytesPerSecond: 7)),
        Option("redirects", \.redirects, .deliver),
        Option("retry.maxRetries", \.retry.maxRetries, 7),
        Option("retry.backoff", \.retry.backoff, .constant(.seconds(7))),
        Option("retry.statuses", \.retry.statuses, [.notFound]), Option("retry.methods", \.retry.methods, [.post]),
        Option("retry.shouldRetry", \.retry.shouldRetry, { _ in true }),
        Option("retry.maxServerDelay", \.retry.maxServerDelay, .seconds(7)),
        Option("retry.maxElapsed", \.retry.maxElapsed, .seconds(7)),
        Option("hedging.delay", \.hedging.delay, .seconds(7)), Option("hedging.maxHedges", \.hedging.maxHedges, 7),
        Option("hedging.methods", \.hedging.methods, [.put]), Option("validation", \.validation, .acceptAll),
        Option("maxBodySize", \.maxBodySize, 7),
        Option("compression", \.compression, .gzip),
        Option("maxErrorBodySize", \.maxErrorBodySize, 7),
        Option("headLimits.maxFieldCount", \.headLimits.maxFieldCount, 7),
        Option("headLimits.maxLineSize", \.headLimits.maxLineSize, 7),
        Option("headLimits.maxSize", \.headLimits.maxSize, 7), Option("progress", \.progress, .everyChunk),
        Option("connection.protocolPolicy", \.connection.protocolPolicy, .http1),
        Option("connection.trustRoots", \.connection.trustRoots, .file(path: "/a")),
        Option("connection.unixSocketPath", \.connection.unixSocketPath, "/a"),
        Option("connection.decodesContent", \.connection.decodesContent, false),
        Option("connection.proxy", \.connection.proxy, .none),
        Option(
            "connection.clientCertificate", \.connection.clientCertificate, .init(certificatePath: "/a", keyPath: "/b")),
        Option("connection.minimumTLSVersion", \.connection.minimumTLSVersion, .tls13),
        Option("connection.pinnedPublicKeys", \.connection.pinnedPublicKeys, ["a"]),
        Option("connection.resolve", \.connection.resolve, ["a": IPAddress("192.0.2.1")].compactMapValues(\.self)),
        Option("connection.addressFamily", \.connection.addressFamily, .ipv6),
        Option("connection.allowsAddress", \.connection.allowsAddress, .publicOnly),
        Option("cache.mode", \.cache.mode, .storedOnly),
        Option("cache.staleIfError", \.cache.staleIfError, .seconds(7)),
        Option("keepsDotSegments", \.keepsDotSegments, true),
        Option("requiresAuthorization", \.requiresAuthorization, true), Option("previewName", \.previewName, "a"),
        Option("sharesInFlight", \.sharesInFlight, true),
    ]

    @Test(arguments: options) func takesAnOptionThatIsNotSetFromTheDefaults(option: Option) {
        let changed = "\(RequestOptions.with(option.change))"
        for other in Self.options where other.testDescription != option.testDescription {
            let merged = RequestOptions.with(other.setDefault).merging(defaults: .with(option.change))
            let isKept = "\(merged)" == changed
            #expect(isKept, "beside \(other.testDescription)")
        }
        let isShown = changed != "\(RequestOptions())"
        #expect(isShown)
    }

    @Test(arguments: options) func keepsAnOptionThatIsSetToItsDefault(option: Option) {
        let merged = RequestOptions.with(option.setDefault).merging(defaults: .with(option.change))
        let isKept = "\(merged)" == "\(RequestOptions())"
        #expect(isKept)
    }

    @Test func testsEveryOption() {
        #expect(Set(Self.options.map(\.testDescription)) == Set(Self.names(in: RequestOptions())))
    }

    /// Returns the names of the options in a group and in the groups inside.
    private static func names(in group: some OptionGroup) -> [String] {
        Mirror(reflecting: group.settings.values).children.flatMap { name, value in
            let name = name ?? ""
            guard let inner = value as? any OptionGroup else { return [name] }
            return names(in: inner).map { "\(name).\($0)" }
        }
    }

    @Test func feedsWebSocketsAndDownloadsHaveTheClientsOptions() throws {
        let client = HTTPClient().configuring {
            $0.feedOptions.reconnection.maxRetries = 3
            $0.feedOptions.duplicateWindow = 7
            $0.webSocketOptions.pingInterval = nil
            $0.webSocketOptions.maxMessageSize = 9
            $0.downloadOptions.permissions = 0o644
        }
        var feedOptions = FeedOptions()
        feedOptions.reconnection.backoff = .constant(.zero)
        feedOptions.duplicateWindow = 128
        let feed = feedOptions.merging(defaults: client.configuration.feedOptions)
        #expect(feed.reconnection.maxRetries == 3 && feed.reconnection.backoff == .constant(.zero))
        #expect(feed.duplicateWindow == 128)
        var webSocketOptions = WebSocketOptions(subprotocols: ["chat"])
        webSocketOptions.maxMessageSize = 16
        let webSocket = client.webSocket(for: HTTPRequest(.get, "/"), options: webSocketOptions).options
        #expect(webSocket.subprotocols == ["chat"] && webSocket.maxMessageSize == 16 && webSocket.pingInterval == nil)
        let checksum = try #require(FileChecksum("sha256:\(String(repeating: "7f", count: 32))"))
        let download = client.download(
            for: HTTPRequest(.get, "/"), to: "/file", options: DownloadOptions(checksum: checksum)
        ).options
        #expect(download.permissions == 0o644 && download.checksum == checksum)
    }

    @Test func aRequestKeepsTheProtectionOfItsClient() throws {
        var configuration = HTTPClient.Configuration()
        configuration.options.connection.pinnedPublicKeys = ["key"]
        configuration.options.connection.proxy = .none
        configuration.options.connection.allowsAddress = .publicOnly
        configuration.options.timeouts.idle = .seconds(7)
        configuration.options.cache.staleIfError = .seconds(7)
        let client = HTTPClient(configuration: configuration)
        let request = HTTPRequest(.get, "http://h/").settingOptions {
            $0.connection.protocolPolicy = .http2
            $0.cache.mode = .validated
            $0.timeouts.total = .seconds(5)
        }
        let planned = try RequestPlan(request, client: client, bodyUse: .collect).request.get()
        #expect(planned.connection.protocolPolicy == .http2 && planned.connection.pinnedPublicKeys == ["key"])
        #expect(planned.connection.proxy == .none && planned.connection.allowsAddress == .publicOnly)
        #expect(planned.idleTimeout == .seconds(7) && planned.connectTimeout == .seconds(30))
        #expect(planned.cache.mode == .validated && planned.cache.staleIfError == .seconds(7))
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

    /// The values that many objects keep during a request are no larger than a pointer.
    @Test func whatManyKeepIsSmall() {
        #expect(MemoryLayout<RequestOptions.Connection>.size == MemoryLayout<Int>.size)
        #expect(MemoryLayout<RequestOptions>.size == MemoryLayout<Int>.size)
        #expect(MemoryLayout<TransportRequest>.size == MemoryLayout<Int>.size)
        #expect(MemoryLayout<HTTPError>.size == MemoryLayout<Int>.size)
    }

    @Test func showsNoSubprotocols() {
        let client = HTTPClient().configuring {
            $0.webSocketOptions = WebSocketOptions(subprotocols: ["v1", "bearer.s3cret"])
            $0.webSocketOptions.maxMessageSize = 4711
        }
        let texts = ["\(client.configuration.webSocketOptions)", String(reflecting: client.configuration)]
        for text in texts { #expect(text.contains("4711") && !text.contains("s3cret")) }
    }

    @Test func whatIsPrintedOfThemIsWhatTheyHold() throws {
        var options = RequestOptions()
        options.maxBodySize = 4711
        options.connection.unixSocketPath = "/socket"
        #expect("\(options)".contains("maxBodySize: Optional(4711)"))
        #expect("\(options)".contains("/socket"))
        let request = TransportRequest(method: .put, url: try #require(URL(string: "http://h/")), window: 4711)
        #expect("\(request)".contains("window: 4711"))
    }
}
