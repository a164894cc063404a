import Foundation

@testable import StreamsHTTP

/// The links of a `Link` field are the same after they have been written, and their targets are parts of the field. A
/// link that a client follows stays at the origin of the response that has it.
func fuzzLinks(_ input: inout Input) throws {
    let (field, other) = (input.text(), input.text())
    let links = WebLink.list(in: [field, other])
    let fields = Array((field + "\u{0}" + other).utf8)
    for link in links { expect(fields.contains(Array(link.target.utf8)), "\(link) is no part of the fields") }
    expectEqual(WebLink.list(in: [links.map(\.written).joined(separator: ", ")]), links, "the links after writing")

    let url = URL(literal: "https://h:8443/list?a=1")
    let response = HTTPResponse(status: .ok, headers: ["Link": field, "link": other], body: (), url: url)
    guard let link = response.link("next") else { return }
    let client = HTTPClient(baseURL: url)
    if let next = try? client.request(following: link, inResponseTo: HTTPRequest(.get, url), from: url) {
        let origin = URL(string: next.target)?.origin
        expectEqual(origin, url.origin, "\(link.debugDescription) leads to \(next.target)")
    }
}

extension WebLink {
    /// The link as a member of a field.
    fileprivate var written: String {
        "<\(target)>; rel=\(Self.quoted(relations))" + (anchor.map { "; anchor=\(Self.quoted($0))" } ?? "")
    }

    private static func quoted(_ text: String) -> String {
        var bytes = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        return String(decoding: bytes + [UInt8(ascii: "\"")], as: UTF8.self)
    }
}
