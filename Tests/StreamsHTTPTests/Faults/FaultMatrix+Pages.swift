import StreamsHTTP
import StreamsLoopback

/// Failures inside lists of pages.
extension FaultMatrix {
    static let pageRows: [FaultRow] = [
        FaultRow(
            "The connection closes in a page", "transfer.body-ended-early", isRetried: true, exitStatus: nil,
            use: .pages, .list(breaking: 1), .list(breaking: 2), .list(breaking: 3)),
        FaultRow(
            "The connection closes in a page, and not when that is requested again", nil, exitStatus: nil,
            bound: "RequestOptions/retry", setting: .retry, use: .pages, .list(breaking: 1, isMended: true),
            .list(breaking: 2, isMended: true), .list(breaking: 3, isMended: true)),
        FaultRow(
            "A page links to another origin", "redirect.leaves-origin", exitStatus: nil,
            bound: "HTTPClient/Configuration/credentialOrigins", use: .pages,
            .reply(link(to: "http://name.invalid/"))),
        FaultRow(
            "A page links to itself", "redirect.loop", exitStatus: nil, use: .pages, .reply(link(to: "/"))),
    ]

    private static func link(to target: String) -> Reply { Reply(headers: ["Link": "<\(target)>; rel=next"]) }
}
