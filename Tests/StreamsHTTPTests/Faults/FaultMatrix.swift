import StreamsHTTP

/// The misbehaviour of servers, proxies and networks, in the order of the article.
enum FaultMatrix {
    static let rows =
        connectionRows + secureConnectionRows + proxyRows + brokenConnectionRows + http2Rows + slowRows + headRows
        + bodyRows + contentRows + redirectRows + responseRows + cachingRows + pageRows + webSocketRows

    /// The rows that hold with the libcurl in use, with each of their peers.
    static let cases = rows.filter { !$0.needsTunnelState || CurlTransport.runtime.version.number >= 0x075800 }.flatMap
    { row in row.peers.indices.map { FaultCase(row: row, index: $0) } }
}

/// A row with one of its peers.
struct FaultCase: Sendable {
    let row: FaultRow
    let index: Int

    var peer: FaultPeer { row.peers[index] }
    var name: String { row.peers.count > 1 ? "\(row.name) (\(index + 1))" : row.name }
}
