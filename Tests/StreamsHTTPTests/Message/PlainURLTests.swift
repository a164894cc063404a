import Testing

@testable import StreamsHTTP

@Suite struct PlainURLTests {
    @Test(arguments: [
        "http://h", "https://h/", "HTTP://h?", "http://a-b.c_d.1:65535/x", "http://127.0.0.1:80?a=b&c=%2f/?",
        "http://h/-._~!$&'()*+,;=:@/%C3%BC",
    ])
    func mostURLsArePlain(text: String) throws {
        let plain = try #require(PlainURL(text))
        #expect(plain.text == text)
        let url = try #require(URL(string: text))
        #expect(url.absoluteString == text)
        #expect(url.host() != nil)
        #expect(url.user == nil)
    }

    @Test(arguments: [
        "", "h", "/h", "http", "http:", "http:/", "http://", "http:///", "http://:80", "http://h:", "http://h:/",
        "http://h:x", "http://h:65536/", "http://u@h/", "http://u:80@h/", "http://[::1]/", "http://%41/",
        "http://a--b/", "http://ü/", "http://h/ü", "http://h/ ", " http://h/", "http://h/%", "http://h/%4",
        "http://h/%4g", "http://h/#f", "http://h/\"", "http://h/[", "http://h/\\", "http://h\\x", "http://h/\r\n",
        "http://h/\0", "ftp://h/", "httpx://h/", "httpss://h/",
    ])
    func whatIsSomethingElseIsNot(text: String) {
        #expect(PlainURL(text) == nil)
    }

    @Test(arguments: [
        "//h", "a:b", "a:b/c", "http://h/", "a#f", "a b", "ü", "%", "a?%2", "[",
    ])
    func onlyPlainTargetsAreAppended(target: String) throws {
        let plain = try #require(PlainURL("http://h/v1"))
        #expect(plain.appending(target) == nil)
    }
}
