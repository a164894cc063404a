import Exchanging
import Foundation
import Measuring

/// The work of a child process.
struct Order: Codable {
    enum Kind: String, Codable {
        /// Small documents, ``concurrency`` at once.
        case documents
        /// A document that is stored in a cache.
        case stored
        /// Documents of ``entries`` names, all of which are stored in the folder of a cache.
        case storedAmongMany
        /// Small documents at a fixed ``rate``.
        case paced
        /// Small documents that the server delays by ten seconds, all at once.
        case held
        /// The same, received in chunks.
        case streamed
        case download
        /// A download without `Accept-Encoding`.
        case downloadAsIs
        case upload
        /// Server-sent events through one connection, ``requests`` of ``eventSize`` bytes.
        case events
        /// Feeds that get an event every ten seconds, all at once.
        case feeds
    }

    var kind: Kind
    var side: Side
    var url: String
    /// The URL of the same at another server, for every other request in flight; empty if there is none.
    var secondURL = ""
    var version = "http1"
    var concurrency = 1
    var requests = 1
    /// The number of requests per second.
    var rate = 0
    /// The path of the file to upload.
    var file = ""
    /// The number of bytes of each server-sent event.
    var eventSize = 0
    /// The path of the folder for a cache.
    var cache = ""
    /// The number of documents that are stored.
    var entries = 1
    /// Whether the cache is filled instead of measuring.
    var isPreparation = false
    /// Whether contents are compared instead of measuring.
    var isVerification = false
    /// The URL of the folder with bodies of ``Server/exactSizes``.
    var exactURL = ""

    init(_ kind: Kind, _ side: Side, _ url: String) {
        self.kind = kind
        self.side = side
        self.url = url
    }

    var urls: [String] { secondURL.isEmpty ? [url] : [url, secondURL] }

    /// Reads an order from the arguments of the process.
    init(from arguments: [String]) throws {
        guard arguments.count == 2 else { throw ExchangeFailure("--work is for this program itself") }
        self = try JSONDecoder().decode(Order.self, from: Data(arguments[1].utf8))
    }
}

/// A client under measurement.
enum Side: String, Codable, CaseIterable {
    case streams = "Streams"
    /// This library, with events that are awaited by an asynchronous sequence.
    case streamsAwaited = "Streams, awaited"
    /// This library with a cache in memory.
    case streamsFromMemory = "Streams, memory"
    /// This library with a cache in a folder.
    case streamsFromFolder = "Streams, folder"
    case asyncHTTPClient = "AsyncHTTPClient"
    case urlSession = "URLSession"
    /// This library's transport without the client.
    case transport = "transport alone"
    /// This library with two threads in the transport.
    case streamsByTwoEngines = "Streams, 2 engines"
    case transportByTwoEngines = "transport, 2 engines"
    /// A loop around libcurl in C.
    case loop = "libcurl loop"
    /// The program `curl`.
    case curl = "curl"
    /// requests-cache of PyPI with its store in memory.
    case requestsCache = "requests-cache, memory"
    /// requests-cache of PyPI with its default store.
    case requestsCacheInFile = "requests-cache, SQLite"
    /// hishel of PyPI with its only store.
    case hishel = "hishel, SQLite"

    /// Whether the documents are decoded.
    var decodes: Bool { ![.loop, .transport, .transportByTwoEngines].contains(self) }

    /// The number of threads in the transport of this library.
    var engineCount: Int { [.streamsByTwoEngines, .transportByTwoEngines].contains(self) ? 2 : 1 }

    /// Whether the contents that the side receives are compared before it is measured.
    var isVerified: Bool {
        [.streams, .streamsFromMemory, .streamsFromFolder, .asyncHTTPClient, .urlSession].contains(self)
    }

    /// Whether the side is a program of Python.
    var isPython: Bool { [.requestsCache, .requestsCacheInFile, .hishel].contains(self) }
}

/// The result of an order.
struct Outcome: Codable {
    /// The time from the first request to the last response, without the warm-up.
    var seconds: Double
    /// The processor time; `nil` for other programs, whose memory is not measured either.
    var cpuSeconds: Double?
    /// The peak memory in MiB.
    var peakMemory: Double?
    /// The maximum number of threads.
    var threads: Int
    /// The number of answered requests or transferred bytes.
    var units: Int
    /// The sum of the decoded numbers, or the number of bytes.
    var checksum: Int
    /// The latencies at a fixed rate in milliseconds: the 50th, 99th and 99.9th percentile.
    var latencies: [Double]?
    /// The time in milliseconds until the first document from a cache that was filled before.
    var firstMilliseconds: Double?
    /// The number of bytes by which each open feed has enlarged the memory of the process.
    var bytesPerFeed: Double?
}

extension Meter {
    /// Returns the result of the work since the creation of the meter.
    func outcome(units: Int, checksum: Int) -> Outcome {
        Outcome(
            seconds: seconds, cpuSeconds: cpuSeconds, peakMemory: Meter.peakMemory, threads: endThreadWatch(),
            units: units, checksum: checksum)
    }
}
