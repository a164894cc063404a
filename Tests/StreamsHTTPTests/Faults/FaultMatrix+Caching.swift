import StreamsHTTP
import StreamsLoopback

/// Failures of servers whose response, or the beginning of it, is stored.
extension FaultMatrix {
    private static let maxAge: HeaderFields = ["Cache-Control": "max-age=0", "ETag": "\"1\""]
    private static let stored = Reply(headers: maxAge, body: .generated(1000))
    private static let cut = stored.failing(with: .close(at: .inBody(after: 400)))

    static let cachingRows: [FaultRow] = [
        FaultRow(
            "The server fails after its response has been stored", nil, exitStatus: nil,
            bound: "RequestOptions/Cache/staleIfError", setting: .staleIfError, use: .stored,
            .replies([stored, .status(503)]), .replies([stored, Reply().failing(with: .close(at: .beforeHead))])),
        FaultRow(
            "The server fails after a response has been stored that must be validated", "status(503)", isRetried: true,
            exitStatus: nil, setting: .staleIfError, use: .stored,
            .replies([
                Reply(headers: ["Cache-Control": "no-cache", "ETag": "\"1\""], body: .text("old")), .status(503),
            ])),
        FaultRow(
            "The connection closes in a body, and the rest comes when it is requested again", nil, exitStatus: nil,
            bound: "HTTPClient/Configuration/cache", use: .stored, .replies([cut, rest(from: 400, tag: "\"1\"")])),
        FaultRow(
            "The server sends another part than the one that a stored body lacks", nil, exitStatus: nil,
            bound: "HTTPClient/Configuration/cache", use: .stored,
            .replies([cut, rest(from: 401, tag: "\"1\""), stored]),
            .replies([cut, rest(from: 400, tag: "\"2\""), stored])),
        FaultRow(
            "The connection closes again in the rest of a stored body", "transfer.body-ended-early", isRetried: true,
            exitStatus: nil, use: .stored,
            .replies([cut, rest(from: 400, tag: "\"1\"").failing(with: .close(at: .inBody(after: 300)))])),
    ]

    private static func rest(from offset: Int, tag: String) -> Reply {
        let headers: HeaderFields = ["ETag": tag, "Content-Range": "bytes \(offset)-999/1000"]
        return Reply(206, headers: headers, body: .generated(1000 - offset))
    }
}
