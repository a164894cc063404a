import Testing

@testable import StreamsHTTP
@testable import StreamsHTTPTesting

@Suite struct WebLinkTests {
    private func link(_ target: String, _ relations: String, anchor: String? = nil) -> WebLink {
        WebLink(target: target, relations: relations, anchor: anchor)
    }

    private static let lists: [(String, [String])] = [
        ("", []),
        ("</2>; rel=\"next\"", ["/2 next"]),
        ("</2>;rel=next", ["/2 next"]),
        (" \t</2>\t ; \t rel \t = \t next \t , </1> ; rel = \"prev\"", ["/2 next", "/1 prev"]),
        (
            "<https://h/2?a=1,2;b>; title=\"a, \\\"b\\\"; rel=\\\"x\\\"\"; rel=\"next last\"",
            ["https://h/2?a=1,2;b next last"]
        ),
        // Of several parameters of a name, the first counts, whatever its value.
        ("</2>; rel=prev; rel=next", ["/2 prev"]),
        ("</2>; rel; rel=next", ["/2 "]),
        ("</2>; REL=\"NEXT\"", ["/2 NEXT"]),
        ("</2>; rel*=UTF-8''next", ["/2 "]),
        ("</2>; rev=next", ["/2 "]),
        ("</2>", ["/2 "]),
        ("<>; rel=next", [" next"]),
        ("</2>; rel=\"ne\\xt\"", ["/2 next"]),
        ("</2>;;; ; rel=next", ["/2 next"]),
        (",, ,</1>; rel=prev,,</2>; rel=next,", ["/1 prev", "/2 next"]),
        ("</größe>; rel=\"nächste\"", ["/größe nächste"]),
        // A field that is malformed at some place has the links before it.
        ("/2; rel=next", []),
        ("</1>; rel=prev, /2; rel=next, </3>; rel=next", ["/1 prev"]),
        ("</1>; rel=prev, </2; rel=next", ["/1 prev"]),
        ("</1>; rel=\"prev\" x, </2>; rel=next", ["/1 prev"]),
        ("</2>; rel=\"next", ["/2 next"]),
        ("</2>; rel=\"next\\", ["/2 next"]),
        ("</2>; rel=next </3>; rel=prev", ["/2 next </3>"]),
        ("<", []), ("<>", [" "]), ("</2>;", ["/2 "]), ("</2>; =", ["/2 "]), ("</2>; rel=", ["/2 "]), (";", []),
        (",", []),
        ("\"</2>; rel=next\"", []),
    ]

    @Test(arguments: lists) func readsTheLinksOfAField(field: String, expected: [String]) {
        #expect(WebLink.list(in: [field]).map { "\($0.target) \($0.relations)" } == expected)
    }

    @Test func readsTheLinksOfSeveralFields() {
        let fields = ["</1>; rel=prev, broken", "", "</3>; rel=last, </2>; rel=next"]
        #expect(WebLink.list(in: fields) == [link("/1", "prev"), link("/3", "last"), link("/2", "next")])
    }

    @Test func readsTheFirstAnchor() {
        let links = WebLink.list(in: ["</2>; anchor=\"/a\"; anchor=\"/b\"; rel=next, </3>; Anchor = /c ; rel=prev"])
        #expect(links == [link("/2", "next", anchor: "/a"), link("/3", "prev", anchor: "/c")])
    }

    @Test(arguments: [
        ("next", true), ("NeXT", true), ("prev  next", true), ("\tnext ", true), ("nextpage", false), ("", false),
        ("http://example.com/next", false), ("next,", false), ("ne xt", false),
    ]) func comparesRelationTypes(relations: String, isNext: Bool) {
        #expect(link("/2", relations).hasRelation("next") == isNext)
    }

    @Test(arguments: [
        ("", true), ("/list?a=1", true), ("http://h/list?a=1", true), ("?a=1", true), ("/list", false),
        ("#part", false),
        ("#", false), ("http://other/list?a=1", false), ("https://h/list?a=1", false), ("foo:bar", false),
    ]) func ignoresLinksOfOtherContexts(anchor: String, isOwn: Bool) {
        let response = HTTPResponse(
            status: .ok, headers: ["Link": "</2>; rel=next; anchor=\"\(anchor)\"", "link": "</3>; rel=next"], body: (),
            url: URL(literal: "http://h/list?a=1#there"))
        #expect(response.link("next") == (isOwn ? "/2" : "/3"))
    }

    /// Whatever is quoted and escaped is read again, and any bytes are read without harm.
    @Test func readsWhatWasWritten() {
        var random = SplitMix64(seed: 8288)
        for _ in 0..<2_000 {
            let links = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                link(
                    text(without: ">", &random), text(without: "", &random),
                    anchor: Bool.random(using: &random) ? text(without: "", &random) : nil)
            }
            let field = links.map { written($0, &random) }.joined(separator: blanks(&random) + "," + blanks(&random))
            #expect(WebLink.list(in: [field]) == links, "\(field.debugDescription)")
        }
    }

    @Test func readsAnyBytes() {
        var random = SplitMix64(seed: 1)
        let alphabet = Array("<>;,=\"\\ \trel*next/anchor\u{0}é\u{301}👩‍👩‍👧".utf8)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...60, using: &random)
            let bytes = (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            let field = String(decoding: bytes, as: UTF8.self)
            let links = WebLink.list(in: [field])
            // Each link has at least the two brackets of its target, and nothing is made up.
            #expect(links.reduce(0) { $0 + $1.target.utf8.count + 2 } <= field.utf8.count)
            for link in links {
                let target = Array(link.target.utf8)
                #expect(!target.contains(UInt8(ascii: ">")) && Array(field.utf8).contains(target))
            }
        }
    }

    @Test func readsALongFieldOnce() {
        let count = 50_000
        let field = (0..<count).map { "</\($0)>; rel=\"\($0 == count - 1 ? "next" : "item")\"" }.joined(separator: ",")
        #expect(WebLink.list(in: [field]).count == count)
        #expect(WebLink.list(in: ["<" + String(repeating: "<;\"\\", count: count)]).isEmpty)
    }
}

extension WebLinkTests {
    private func text(without excluded: String, _ random: inout SplitMix64) -> String {
        let characters = Array("abc;,=<>\"\\ é/?#:'%").filter { !excluded.contains($0) }
        return String(
            (0..<Int.random(in: 0...6, using: &random)).compactMap { _ in characters.randomElement(using: &random) })
    }

    private func blanks(_ random: inout SplitMix64) -> String {
        ["", " ", "\t", "  "].randomElement(using: &random) ?? ""
    }

    private func written(_ link: WebLink, _ random: inout SplitMix64) -> String {
        var parameters = [("rel", link.relations)]
        if let anchor = link.anchor { parameters.append(("anchor", anchor)) }
        parameters.append(("title", text(without: "", &random)))
        parameters.shuffle(using: &random)
        // A second one of a name is ignored.
        parameters.append(("rel", "ignored"))
        if link.anchor != nil { parameters.append(("Anchor", "ignored")) }
        var field = "<\(link.target)>"
        for (name, value) in parameters {
            field += blanks(&random) + ";" + blanks(&random) + name + blanks(&random) + "=" + blanks(&random)
            field +=
                "\"" + value.map { "\"\\".contains($0) || Bool.random(using: &random) ? "\\\($0)" : "\($0)" }.joined()
            field += "\""
        }
        return field
    }
}
