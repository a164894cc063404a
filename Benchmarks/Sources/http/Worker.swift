import CPlainCurl
import Exchanging
import ExchangingByAsyncHTTPClient
import ExchangingByStreams
import ExchangingByURLSession
import Foundation
import Measuring
import StreamsLoopback

/// Executes one order with one client, and prints the result.
struct Worker {
    let order: Order

    init(_ order: Order) {
        self.order = order
    }

    func run() async throws {
        if order.isVerification { return try await verify(exchanger()) }
        if order.isPreparation { return try await StoredDocuments(order).fill() }
        let outcome =
            switch order.side {
            case .loop: try loop()
            case .transport, .transportByTwoEngines: try await transport()
            case .streamsAwaited: try await awaitEvents()
            case .streamsFromFolder where order.kind == .storedAmongMany: try await StoredDocuments(order).read()
            default: try await exchange(by: exchanger())
            }
        print(String(decoding: try JSONEncoder().encode(outcome), as: UTF8.self))
    }

    /// Compares the contents that a client receives.
    private func verify(_ exchanger: any Exchanger) async throws {
        switch order.kind {
        case .documents, .paced, .held, .streamed: try await verifyFiles(exchanger)
        case .stored, .storedAmongMany:
            // Once from the server, and then from what is stored.
            for _ in 1...2 { try await verifyFiles(exchanger) }
        case .download:
            try await expect(exchanger.download(order.url, check: Self.check), of: Server.largeSize)
        case .downloadAsIs:
            try await expect(streams(exchanger).downloadAsIs(order.url, check: Self.check), of: Server.largeSize)
        case .events:
            let events = NumberedEvents(count: min(order.requests, 100_000), size: order.eventSize)
            let isExact = try await receiver(exchanger).verifyEvents(events.count, from: order.url) { data, number in
                data == events.data(at: number)
            }
            guard isExact else { throw ExchangeFailure("other events were received") }
        // Uploads are compared by the server, and the events of open feeds while they are counted.
        case .upload, .feeds: break
        }
        await exchanger.shutDown()
    }

    private func verifyFiles(_ exchanger: any Exchanger) async throws {
        for size in Server.exactSizes {
            let count = try await exchanger.download("\(order.exactURL)/\(size)", check: Self.check)
            try expect(count, of: size)
        }
    }

    private static let check: PieceCheck = { piece, offset in
        guard GeneratedBytes.matches(piece, at: offset) else {
            throw ExchangeFailure("other bytes were received after \(offset)")
        }
    }

    private func expect(_ count: Int, of size: Int) throws {
        guard count == size else { throw ExchangeFailure("\(count) of \(size) bytes were received") }
    }

    private func exchanger() throws -> any Exchanger {
        let version: ProtocolVersion = order.version == "http2" ? .http2 : .http1
        let connections = order.concurrency
        switch order.side {
        case .streams, .streamsByTwoEngines:
            return StreamsExchanger(
                connections: connections, version: version, engineCount: order.side.engineCount)
        case .streamsFromMemory: return try StreamsExchanger(cache: nil)
        case .streamsFromFolder: return try StreamsExchanger(cache: order.cache)
        case .asyncHTTPClient: return AsyncHTTPClientExchanger(connections: connections, version: version)
        case .urlSession: return try URLSessionExchanger(connections: connections, version: version)
        case .streamsAwaited, .transport, .transportByTwoEngines, .loop, .curl, .requestsCache, .requestsCacheInFile,
            .hishel:
            throw ExchangeFailure("\(order.side.rawValue) is no client of Swift's")
        }
    }

    private func transport() async throws -> Outcome {
        let urls = order.urls.compactMap { URL(string: $0) }
        let run = {
            await TransportLanes.run(
                urls, concurrency: order.concurrency, requests: $0, engineCount: order.side.engineCount)
        }
        _ = await run(order.concurrency * 4)
        let meter = Meter()
        guard let bytes = await run(order.requests) else { throw ExchangeFailure("a request of the transport failed") }
        return meter.outcome(units: order.requests, checksum: bytes)
    }

    private func loop() throws -> Outcome {
        let version = order.version == "http2" ? PlainCurlHTTP2 : PlainCurlHTTP1
        let meter = Meter()
        let requests = order.kind == .events ? 1 : Int64(order.requests)
        let bytes = plain_curl_get(order.url, Int32(order.concurrency), requests, version)
        guard bytes >= 0 else { throw ExchangeFailure("a request of the loop failed") }
        return meter.outcome(units: order.requests, checksum: Int(bytes))
    }

    private func awaitEvents() async throws -> Outcome {
        let exchanger = StreamsExchanger(connections: 1, version: .http1)
        let meter = Meter()
        let size = try await exchanger.awaitEvents(order.requests, from: order.url)
        return meter.outcome(units: order.requests, checksum: size)
    }

    private func exchange(by exchanger: any Exchanger) async throws -> Outcome {
        var meter = Meter()
        var outcome: Outcome
        switch order.kind {
        case .documents:
            _ = try await documents(min(order.requests, order.concurrency * 4), by: exchanger)
            meter = Meter()
            let sum = try await documents(order.requests, by: exchanger)
            outcome = meter.outcome(units: order.requests, checksum: sum)
        case .stored:
            _ = try await documents(order.concurrency * 4, by: exchanger)
            let misses = try streams(exchanger).missCount
            meter = Meter()
            let sum = try await documents(order.requests, by: exchanger)
            outcome = meter.outcome(units: order.requests, checksum: sum)
            guard try streams(exchanger).missCount == misses else { throw ExchangeFailure("a document was not stored") }
        case .held:
            let sum = try await documents(order.requests, by: exchanger)
            outcome = meter.outcome(units: order.requests, checksum: sum)
        case .streamed:
            let bytes = try await lanes(order.requests) { [url = order.url] _ in try await exchanger.download(url) }
            outcome = meter.outcome(units: order.requests, checksum: bytes)
        case .paced:
            _ = try await documents(order.rate / 4, by: exchanger)
            meter = Meter()
            let (sum, latencies) = try await Pace(rate: order.rate, requests: order.requests)
                .run { try await exchanger.document(at: order.url) }
            outcome = meter.outcome(units: order.requests, checksum: sum)
            outcome.latencies = [0.5, 0.99, 0.999].map { latencies.quantile($0) }
        case .download:
            let bytes = try await exchanger.download(order.url)
            outcome = meter.outcome(units: bytes, checksum: bytes)
        case .downloadAsIs:
            let bytes = try await streams(exchanger).downloadAsIs(order.url)
            outcome = meter.outcome(units: bytes, checksum: bytes)
        case .upload:
            try await exchanger.upload(order.file, to: order.url)
            let attributes = try FileManager.default.attributesOfItem(atPath: order.file)
            let bytes = (attributes[.size] as? NSNumber)?.intValue ?? 0
            outcome = meter.outcome(units: bytes, checksum: bytes)
        case .events:
            let size = try await receiver(exchanger).receiveEvents(order.requests, from: order.url)
            outcome = meter.outcome(units: order.requests, checksum: size)
        case .storedAmongMany: throw ExchangeFailure("\(order.side.rawValue) has no folder")
        case .feeds:
            outcome = try await OpenFeeds(url: order.url, count: order.requests).measure(receiver(exchanger))
        }
        await exchanger.shutDown()
        return outcome
    }

    private func streams(_ exchanger: any Exchanger) throws -> StreamsExchanger {
        guard let streams = exchanger as? StreamsExchanger else { throw ExchangeFailure("only Streams does this") }
        return streams
    }

    private func receiver(_ exchanger: any Exchanger) throws -> any EventReceiver {
        guard let receiver = exchanger as? any EventReceiver else {
            throw ExchangeFailure("\(order.side.rawValue) receives no events")
        }
        return receiver
    }

    /// Gets the document a number of times, with the concurrency of the order.
    private func documents(_ count: Int, by exchanger: any Exchanger) async throws -> Int {
        let urls = order.urls
        return try await lanes(count) { try await exchanger.document(at: urls[$0 % urls.count]) }
    }

    /// Runs an operation a number of times, with the concurrency of the order, and returns the sum of the results.
    ///
    /// - Parameter operation: A function with the number of the lane in which it runs.
    private func lanes(_ count: Int, _ operation: @escaping @Sendable (Int) async throws -> Int) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            let lanes = min(order.concurrency, count)
            for lane in 0..<lanes {
                let share = count / lanes + (lane < count % lanes ? 1 : 0)
                group.addTask {
                    var sum = 0
                    for _ in 0..<share { sum += try await operation(lane) }
                    return sum
                }
            }
            return try await group.reduce(0, +)
        }
    }
}
