import Testing

@testable import StreamsHTTP

@Suite struct RedirectPolicyTests {
    private static let secrets: HTTPHeaders = {
        var headers: HTTPHeaders = ["Authorization": "a", "Cookie": "b", "Accept": "*/*"]
        headers.add("X-Key", "c", isSensitive: true)
        return headers
    }()

    private func next(
        _ status: HTTPStatus, to location: String, method: HTTPMethod = .get, body: HTTPBody = .empty,
        from url: String = "http://a:80/x/y", policy: RedirectPolicy = .follow, count: Int = 0
    ) throws -> TransportRequest? {
        let url = try #require(URL(string: url))
        let request = TransportRequest(method: method, url: url, headers: Self.secrets, body: body)
        let head = HTTPResponse(status: status, headers: ["Location": location], body: (), url: url)
        return try policy.next(after: head, to: request, count: count)
    }

    @Test(arguments: [301, 302, 303, 307, 308] as [HTTPStatus])
    func secretsStayWithinTheOrigin(status: HTTPStatus) throws {
        let same = try #require(try next(status, to: "/z"))
        #expect(same.headers == Self.secrets)
        for elsewhere in ["http://b/z", "http://a:81/z", "https://a/z"] {
            let other = try #require(try next(status, to: elsewhere))
            #expect(other.headers == ["Accept": "*/*"], "\(elsewhere)")
        }
    }

    @Test(arguments: [
        (301, HTTPMethod.post, HTTPMethod.get), (302, .post, .get), (303, .post, .get), (303, .put, .get),
        (301, .put, .put), (302, .delete, .delete), (307, .post, .post), (308, .put, .put), (303, .head, .head),
        (301, .get, .get),
    ])
    func methodsChangeAsTheStandardSays(status: Int, before: HTTPMethod, after: HTTPMethod) throws {
        let request = try #require(try next(HTTPStatus(status), to: "/z", method: before))
        #expect(request.method == after)
    }

    @Test func aBodyIsDroppedWithTheMethodThatHadIt() throws {
        let request = try #require(try next(303, to: "/z", method: .post, body: .text("x")))
        #expect(request.body.isEmpty)
        let kept = try #require(try next(307, to: "/z", method: .post, body: .text("x")))
        #expect(kept.body.length == 1)
    }

    @Test(arguments: [
        ("z", "http://a:80/x/z"), ("/z", "http://a:80/z"), ("?q", "http://a:80/x/y?q"), ("//b/z", "http://b/z"),
        ("../z", "http://a:80/z"),
    ])
    func locationsAreRelativeToTheRequest(location: String, expected: String) throws {
        #expect(try next(302, to: location)?.url.absoluteString == expected)
    }

    /// RFC 9110, section 10.2.2.
    @Test(arguments: [
        ("/z", "http://a/x#f%20g", "http://a/z#f%20g"), ("/z#g", "http://a/x#f", "http://a/z#g"),
        ("/z#", "http://a/x#f", "http://a/z#"), ("http://b/z?q", "http://a/x#f", "http://b/z?q#f"),
        ("", "http://a/x?q#f", "http://a/x?q#f"), ("/z", "http://a/x", "http://a/z"),
    ])
    func inheritsTheFragment(location: String, url: String, expected: String) throws {
        #expect(try next(302, to: location, from: url)?.url.absoluteString == expected)
    }

    @Test func whatCannotBeFollowedIsAnError() {
        #expect(reason { try next(302, to: "ftp://a/z") } == .unsupportedScheme("ftp"))
        #expect(reason { try next(302, to: "http://a b:c/") } == .unfollowable(location: "http://a b:c/"))
        #expect(reason { try next(302, to: "/z", count: 10) } == .tooMany(limit: 10))
        #expect(reason { try next(302, to: "/z", policy: .follow(max: 0)) } == .tooMany(limit: 0))
        #expect(reason { try next(302, to: "http://a/z", from: "https://a/") } == .insecure)
    }

    @Test func otherResponsesAreNotFollowed() throws {
        #expect(try next(304, to: "/z") == nil)
        #expect(try next(300, to: "/z") == nil)
        #expect(try next(302, to: "/z", policy: .deliver) == nil)
    }

    private func reason(_ operation: () throws -> TransportRequest?) -> HTTPError.Redirect? {
        do {
            _ = try operation()
        } catch {
            if case HTTPError.Reason.redirect(let redirect) = error { return redirect }
        }
        return nil
    }

    /// RFC 9110, sections 7.2 and 15.4.
    @Test func aHostOfOnesOwnStaysWithItsOrigin() throws {
        let url = try #require(URL(string: "http://a/"))
        let request = TransportRequest(method: .get, url: url, headers: ["Host": "virtual"])
        for (location, host) in [("http://a/z", "virtual"), ("http://b/z", nil)] {
            let head = HTTPResponse(status: .found, headers: ["Location": location], body: (), url: url)
            let next = try #require(try RedirectPolicy.follow.next(after: head, to: request, count: 0))
            #expect(next.headers["Host"] == host)
        }
    }

    @Test func whatIsSaidOfABodyGoesWithIt() throws {
        let url = try #require(URL(string: "http://a/"))
        let about: HTTPHeaders = [
            "Content-Type": "a/b", "content-range": "bytes 0-1/2", "Content-Digest": "x", "Repr-Digest": "x",
            "Digest": "x", "Last-Modified": "x", "Expect": "100-continue", "Accept": "*/*", "Contention": "x",
        ]
        let request = TransportRequest(method: .post, url: url, headers: about, body: .text("x"))
        let head = HTTPResponse(status: .seeOther, headers: ["Location": "/z"], body: (), url: url)
        let next = try #require(try RedirectPolicy.follow.next(after: head, to: request, count: 0))
        #expect(Set(next.headers.map(\.name)) == ["Accept", "Contention"])
    }
}
