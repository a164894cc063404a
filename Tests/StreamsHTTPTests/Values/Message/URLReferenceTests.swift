import Testing

@testable import StreamsHTTP

@Suite struct URLReferenceTests {
    @Test(arguments: [
        "http://h", "https://h/", "HTTP://h?", "http://a-b.c_d.1:65535/x", "http://127.0.0.1:80?a=b&c=%2f/?",
        "http://h/-._~!$&'()*+,;=:@/%C3%BC",
    ])
    func usualURLsNeedNoChange(text: String) throws {
        let target = try URLResolver(baseURL: nil).target(of: HTTPRequest(.get, text))
        #expect(target.url.text == text)
        #expect(target.url.url.absoluteString == text)
        #expect(target.url.url.host() != nil)
        #expect(URLReference(text).hasPlainAuthority)
    }

    @Test(arguments: [
        "", "h", "/h", "http", "http:", "http:/", "http://", "http:///", "http://:80", "http://h:", "http://h:/",
        "http://h:x", "http://h:65536/", "http://u@h/", "http://u:80@h/", "http://[::1]/", "http://%41/",
        "http://a--b/", "http://ü/", "http://h/ü", "http://h/ ", " http://h/", "http://h/%", "http://h/%4",
        "http://h/%4g", "http://h/\"", "http://h/[", "http://h/\\", "http://h\\x", "http://h/\r\n",
        "http://h/\0", "ftp://h/", "httpx://h/", "httpss://h/",
    ])
    func otherURLsAreExamined(text: String) {
        let reference = URLReference(text)
        #expect(!(reference.isHTTP && reference.hasPlainAuthority && reference.isEncoded))
    }

    @Test func componentsLieBetweenDelimiters() throws {
        let reference = URLReference("http://u:p@h:1/a?b?c#d")
        #expect(reference[try #require(reference.scheme)] == "http")
        #expect(reference[try #require(reference.authority)] == "u:p@h:1")
        #expect(reference[try #require(reference.hostAndPort)] == "h:1")
        #expect(reference[reference.path.range] == "/a")
        #expect(reference[try #require(reference.query).range] == "b?c")
        #expect(reference[try #require(reference.fragment).range] == "d")
        #expect(URLReference("u@h:1/a").scheme == nil)
    }

    @Test func queryItemsAreFoundByName() {
        let reference = URLReference("a?k%65y=1&flag&%zz=2&a%2Bb")
        for name in ["key", "flag", "%zz", "a+b"] { #expect(reference.hasQueryItem(named: name)) }
        for name in ["ke", "1", "", "a"] { #expect(!reference.hasQueryItem(named: name)) }
    }
}
