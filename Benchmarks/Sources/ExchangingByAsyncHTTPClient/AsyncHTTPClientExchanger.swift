import AsyncHTTPClient
import Exchanging
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOSSL

/// An exchanger on AsyncHTTPClient.
public struct AsyncHTTPClientExchanger: Exchanger {
    private let client: HTTPClient

    public init(connections: Int, version: ProtocolVersion) {
        var configuration = HTTPClient.Configuration()
        configuration.tlsConfiguration = .makeClientConfiguration()
        configuration.tlsConfiguration?.certificateVerification = .none
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        configuration.httpVersion = version == .http1 ? .http1Only : .automatic
        // With thousands of requests, each waits longer for its connection.
        configuration.timeout.connect = .minutes(2)
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    public func document(at url: String) async throws -> Int {
        let response = try await get(url)
        let body = try await response.body.collect(upTo: 1024 * 1024)
        return try JSONDecoder().decode(Document.self, from: body).id
    }

    public func download(_ url: String, check: PieceCheck?) async throws -> Int {
        let response = try await get(url)
        var count = 0
        for try await piece in response.body {
            if let check { try piece.withUnsafeReadableBytes { try check($0, count) } }
            count += piece.readableBytes
        }
        return count
    }

    public func upload(_ path: String, to url: String) async throws {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        let length = try file.seekToEnd()
        try file.seek(toOffset: 0)
        var request = HTTPClientRequest(url: url)
        request.method = .PUT
        request.body = .stream(FilePieces(file: file), length: .known(Int64(length)))
        let response = try await client.execute(request, timeout: .minutes(5))
        guard (200..<300).contains(response.status.code) else { throw ExchangeFailure("status \(response.status)") }
        _ = try await response.body.collect(upTo: 1024)
    }

    public func shutDown() async {
        try? await client.shutdown()
    }

    private func get(_ url: String) async throws -> HTTPClientResponse {
        let response = try await client.execute(HTTPClientRequest(url: url), timeout: .minutes(5))
        guard response.status == .ok else { throw ExchangeFailure("status \(response.status)") }
        return response
    }
}

extension AsyncHTTPClientExchanger: EventReceiver {
    public func receiveEvents(_ count: Int, from url: String) async throws -> Int {
        let response = try await get(url)
        var parser = EventParser()
        var (received, size) = (0, 0)
        for try await piece in response.body {
            parser.append(piece)
            while let event = parser.next() {
                size += event.data.utf8.count
                received += 1
                if received == count { return size }
            }
        }
        throw ExchangeFailure("\(received) events")
    }

    public func verifyEvents(
        _ count: Int, from url: String, isExpected: @escaping @Sendable (_ data: String, _ number: Int) -> Bool
    ) async throws -> Bool {
        let response = try await get(url)
        var parser = EventParser()
        var number = 0
        for try await piece in response.body {
            parser.append(piece)
            while let event = parser.next() {
                guard isExpected(event.data, number) else { return false }
                number += 1
                if number == count { return true }
            }
        }
        return false
    }

    public func openFeeds(
        _ count: Int, at url: String, onEvent: @escaping @Sendable (Int, String) -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    let response = try await get(url)
                    var parser = EventParser()
                    for try await piece in response.body {
                        parser.append(piece)
                        while let event = parser.next() { onEvent(number, event.data) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// The chunks of a file.
private struct FilePieces: AsyncSequence, AsyncIteratorProtocol, @unchecked Sendable {
    // Safe because one iterator reads it.
    let file: FileHandle

    func makeAsyncIterator() -> FilePieces { self }

    func next() async throws -> ByteBuffer? {
        guard let data = try file.read(upToCount: 256 * 1024), !data.isEmpty else { return nil }
        return ByteBuffer(data: data)
    }
}
