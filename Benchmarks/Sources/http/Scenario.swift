/// Work that several clients do.
struct Scenario: Sendable {
    let name: String
    /// The sides. The others are compared with the first one.
    let sides: [Side]
    /// The unit of the rate.
    let unit: String
    /// The number of bytes of an event.
    var bytesPerUnit: Int?
    /// The number of the server's processes.
    var workerCount = 1
    let order: @Sendable (Side, Server) throws -> Order

    /// Whether it takes so long that it is measured once or twice.
    var isLong: Bool { name.hasPrefix("10,000") || name.contains("open feeds") || name.contains("among") }

    static let feeds = [
        events(ofSize: 100), events(ofSize: 1024), openFeeds(10_000, "10,000 open feeds") { try $0.feedURL },
        openFeeds(2_000, "2,000 open feeds, TLS") { try $0.secureFeedURL },
    ]

    static let cache = [stored(1), stored(16), storedAmongMany]

    static var requests: [Scenario] {
        let counts = [1, 16, 64, 256]
        return counts.map { documents($0) } + counts.map { secureDocuments($0, version: "http1", "TLS") }
            + counts.map { secureDocuments($0, version: "http2", "HTTP/2") }
            + [download, downloadAsIs, secureDownload("http1", "TLS"), secureDownload("http2", "HTTP/2"), upload]
            + [held, heldStreams, streamed]
            + [paced(500, "documents, 500 a second"), paced(2_000, "documents, 2,000 a second")]
            + [paced(5_000, "documents, 5,000 a second")]
            + [documentsOfTwoServers(16), documentsOfTwoServers(64)]
    }

    private static func documents(_ concurrency: Int) -> Scenario {
        Scenario(
            name: "documents, HTTP/1.1, \(concurrency) at once",
            sides: [.streams, .asyncHTTPClient, .urlSession, .transport, .loop],
            unit: "requests/s"
        ) { side, server in
            var order = Order(.documents, side, "\(server.plainURL)/document.json")
            order.concurrency = concurrency
            order.requests = (concurrency == 1 ? 4_000 : 16_000) / (side == .urlSession ? 8 : 1)
            return order
        }
    }

    private static func secureDocuments(_ concurrency: Int, version: String, _ name: String) -> Scenario {
        Scenario(
            name: "documents, \(name), \(concurrency) at once",
            sides: [.streams, .asyncHTTPClient, .loop],
            unit: "requests/s"
        ) { side, server in
            var order = Order(.documents, side, "\(server.secureURL)/document.json")
            order.version = version
            order.concurrency = concurrency
            order.requests = concurrency == 1 ? 4_000 : 16_000
            return order
        }
    }

    private static func documentsOfTwoServers(_ concurrency: Int) -> Scenario {
        Scenario(
            name: "documents of two servers, \(concurrency) at once",
            sides: [.streams, .streamsByTwoEngines, .transport, .transportByTwoEngines],
            unit: "requests/s", workerCount: 2
        ) { side, server in
            var order = Order(.documents, side, "\(server.plainURL)/document.json")
            order.secondURL = "\(server.secondURL)/document.json"
            order.concurrency = concurrency
            order.requests = 64_000
            return order
        }
    }

    private static func stored(_ concurrency: Int) -> Scenario {
        let clients: [Side] = [.streamsFromMemory, .streamsFromFolder, .streams]
        return Scenario(
            name: "a stored document, \(concurrency) at once",
            sides: clients + (concurrency == 1 ? [.requestsCache, .requestsCacheInFile, .hishel] : []),
            unit: "requests/s"
        ) { side, server in
            var order = Order(.stored, side, "\(server.plainURL)/cached/documents/0")
            order.cache = try server.cacheFolder(of: side)
            order.concurrency = concurrency
            order.requests = side.isPython ? 4_000 : 40_000
            return order
        }
    }

    private static let storedAmongMany = Scenario(
        name: "a stored document among 100,000", sides: [.streamsFromFolder, .requestsCacheInFile, .hishel],
        unit: "requests/s"
    ) { side, server in
        var order = Order(.storedAmongMany, side, "\(server.plainURL)/cached/documents")
        order.cache = try server.cacheFolder(of: side)
        order.entries = 100_000
        order.requests = side.isPython ? 4_000 : 20_000
        return order
    }

    private static let download = Scenario(
        name: "download of 1 GiB", sides: [.streams, .asyncHTTPClient, .urlSession, .curl], unit: "bytes/s"
    ) { side, server in Order(.download, side, "\(server.plainURL)/large") }

    private static let downloadAsIs = Scenario(
        name: "download of 1 GiB, no encoding asked for", sides: [.streams, .curl], unit: "bytes/s"
    ) { side, server in Order(side == .streams ? .downloadAsIs : .download, side, "\(server.plainURL)/large") }

    private static func secureDownload(_ version: String, _ name: String) -> Scenario {
        Scenario(
            name: "download of 1 GiB, \(name)", sides: [.streams, .asyncHTTPClient, .curl], unit: "bytes/s"
        ) { side, server in
            var order = Order(.download, side, "\(server.secureURL)/large")
            order.version = version
            return order
        }
    }

    private static let upload = Scenario(
        name: "upload of 1 GiB", sides: [.streams, .asyncHTTPClient, .urlSession, .curl], unit: "bytes/s"
    ) { side, server in
        var order = Order(.upload, side, "\(server.plainURL)/upload/large")
        order.file = server.largeFile
        return order
    }

    private static let held = Scenario(
        name: "10,000 requests in flight", sides: [.streams, .asyncHTTPClient, .loop], unit: "requests/s"
    ) { side, server in
        var order = Order(.held, side, "\(server.plainURL)/slow/document.json")
        order.concurrency = 10_000
        order.requests = 10_000
        return order
    }

    /// Others open one connection, on which the server allows 128 requests at once.
    private static let heldStreams = Scenario(
        name: "10,000 requests in flight, HTTP/2", sides: [.streams], unit: "requests/s"
    ) { side, server in
        var order = Order(.held, side, "\(server.secureURL)/slow/document.json")
        order.version = "http2"
        order.concurrency = 10_000
        order.requests = 10_000
        return order
    }

    private static let streamed = Scenario(
        name: "10,000 streamed responses", sides: [.streams, .asyncHTTPClient], unit: "responses/s"
    ) { side, server in
        var order = Order(.streamed, side, "\(server.plainURL)/slow/document.json")
        order.concurrency = 10_000
        order.requests = 10_000
        return order
    }

    private static func paced(_ rate: Int, _ name: String) -> Scenario {
        Scenario(name: name, sides: [.streams, .asyncHTTPClient, .urlSession], unit: "requests/s") { side, server in
            var order = Order(.paced, side, "\(server.plainURL)/document.json")
            order.concurrency = 64
            order.rate = rate
            order.requests = rate * 3
            return order
        }
    }

    private static func events(ofSize size: Int) -> Scenario {
        Scenario(
            name: "1,000,000 events of \(size) bytes", sides: [.streams, .streamsAwaited, .asyncHTTPClient, .loop],
            unit: "events/s", bytesPerUnit: size
        ) { side, server in
            var order = Order(.events, side, try server.eventsURL(NumberedEvents(count: 1_000_000, size: size)))
            order.requests = 1_000_000
            order.eventSize = size
            return order
        }
    }

    private static func openFeeds(
        _ count: Int, _ name: String, _ url: @escaping @Sendable (Server) throws -> String
    ) -> Scenario {
        Scenario(name: name, sides: [.streams, .asyncHTTPClient], unit: "events/s") { side, server in
            var order = Order(.feeds, side, try url(server))
            order.concurrency = count
            order.requests = count
            return order
        }
    }
}
