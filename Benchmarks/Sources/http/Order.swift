import Exchanging
import Foundation

/// What a process of its own is told to do.
struct Order: Codable {
    enum Kind: String, Codable {
        /// Small documents, as many at once as said.
        case documents
        /// Small documents, so many a second.
        case paced
        /// Small documents that take ten seconds to come, all at once.
        case held
        case download
        /// The same without asking for encoded content.
        case downloadAsIs
        case upload
    }

    var kind: Kind
    var side: Side
    var url: String
    var version = "http1"
    var concurrency = 1
    var requests = 1
    /// A second.
    var rate = 0
    /// What is uploaded.
    var file = ""

    init(_ kind: Kind, _ side: Side, _ url: String) {
        self.kind = kind
        self.side = side
        self.url = url
    }

    /// From the arguments of the process.
    init(from arguments: [String]) throws {
        guard arguments.count == 2 else { throw ExchangeFailure("--work is for this program itself") }
        self = try JSONDecoder().decode(Order.self, from: Data(arguments[1].utf8))
    }
}

/// Who does it.
enum Side: String, Codable, CaseIterable {
    case streams = "Streams"
    case asyncHTTPClient = "AsyncHTTPClient"
    case urlSession = "URLSession"
    /// This library's transport, with nothing above it.
    case transport = "transport alone"
    /// A loop around libcurl in C.
    case loop = "libcurl loop"
    /// The program.
    case curl = "curl"

    /// Whether it decodes what it gets.
    var decodes: Bool { self != .loop && self != .transport }
}

/// What came of it.
struct Outcome: Codable {
    /// From the first request to the last response, without what warms up.
    var seconds: Double
    /// Of the processor. Nothing is known of this of other programs, nor of their memory.
    var cpuSeconds: Double?
    /// The most memory there was, in MiB.
    var peakMemory: Double?
    /// The most threads there were.
    var threads: Int
    /// How many requests were answered, or bytes went.
    var units: Int
    /// The sum of what was decoded, or the bytes.
    var checksum: Int
    /// At a fixed rate, in milliseconds: half, 99 and 99.9 of a hundred requests took at most so long.
    var latencies: [Double]?
}
