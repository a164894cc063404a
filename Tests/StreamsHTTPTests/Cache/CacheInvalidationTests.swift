import Testing

@testable import StreamsHTTP

@Suite struct CacheInvalidationTests {
    /// Returns the URLs of which nothing is kept, of those that a test knows.
    private func invalidated(
        _ method: HTTPMethod = .post, _ status: HTTPStatus = .ok, _ headers: HTTPHeaders = [:]
    ) -> Set<String> {
        let request = TransportRequest.cached(method)
        let keys = CacheInvalidation.keys(after: .received(status, headers), to: request)
        let urls = ["http://a.example/x", "http://a.example/y?z", "http://b.example/y", "https://a.example/y"]
        #expect(keys.count % 2 == 0)
        return Set(
            urls.filter { url in
                [true, false].allSatisfy { isDecoded in
                    var connection = request.connection
                    connection.decodesContent = isDecoded
                    return keys.contains(CacheKey(url: LazyURL(url), connection: connection))
                }
            })
    }

    @Test func unsafeMethodsInvalidateTheURL() {
        for method in [HTTPMethod.post, .put, .delete, .patch, "M-SEARCH"] {
            #expect(invalidated(method) == ["http://a.example/x"])
            #expect(invalidated(method, 302) == ["http://a.example/x"])
        }
        for method in [HTTPMethod.get, .head, .options, .trace, .query, "PROPFIND", HTTPMethod("FETCH", isSafe: true)] {
            #expect(invalidated(method).isEmpty)
        }
    }

    @Test func errorsInvalidateNothing() {
        for status in [400, 404, 412, 500, 503] as [HTTPStatus] { #expect(invalidated(.put, status).isEmpty) }
    }

    @Test(arguments: ["Location", "Content-Location"]) func locationsAreInvalidated(name: String) {
        for location in ["/y?z", "y?z#f", "http://A.example:80/y?z", "./y?z"] {
            #expect(invalidated(.post, 201, [HTTPHeaders.Name(name): location]).count == 2, "\(location)")
        }
        for location in ["http://b.example/y", "https://a.example/y", "http://", "http://a b/", "mailto:a"] {
            #expect(
                invalidated(.post, 201, [HTTPHeaders.Name(name): location]) == ["http://a.example/x"], "\(location)")
        }
    }

    @Test func locationsThatContradictEachOtherAreIgnored() {
        var headers: HTTPHeaders = ["Location": "/y?z"]
        headers.add("Location", "/w")
        #expect(invalidated(.post, 201, headers) == ["http://a.example/x"])
    }
}
