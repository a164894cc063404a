import StreamsHTTP
import Testing

@Suite struct HTTPHeadersTests {
    @Test func namesAreFoundWhateverTheirCase() {
        let headers: HTTPHeaders = ["Content-Type": "text/plain", "X-A": "1", "x-a": "2"]
        #expect(headers["content-TYPE"] == "text/plain")
        #expect(headers.values(for: "X-a") == ["1", "2"])
        #expect(!headers.contains("X-B"))
    }

    @Test func settingReplacesInPlaceAndAddingAppends() {
        var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3"]
        headers.set("A", "4")
        headers.add("B", "5")
        #expect(headers.map(\.value) == ["4", "2", "5"])
        headers["b"] = nil
        #expect(headers.map(\.name) == ["A"])
    }

    @Test func ownFieldsWinOverDefaults() {
        let own: HTTPHeaders = ["A": "1"]
        let merged = own.merging(defaults: ["a": "2", "B": "3"])
        #expect(merged == ["A": "1", "B": "3"])
    }

    @Test func secretsAreNeverShown() {
        var headers: HTTPHeaders = ["Authorization": "Bearer s3cret", "cookie": "s3cret", "Accept": "*/*"]
        headers.add("X-Api-Key", "s3cret", sensitive: true)
        #expect(!headers.description.contains("s3cret"))
        #expect(headers.description.contains("Accept: */*"))
        #expect(headers.filter(\.isSensitive).map(\.name) == ["Authorization", "cookie", "X-Api-Key"])
    }

    @Test(arguments: ["a\r\nB: 1", "a\nb", "a\rb", "a\u{0}b", "a\u{7f}"])
    func controlCharactersInValuesAreRefused(value: String) async {
        await expect(refusing: .header(name: "X-Value")) {
            HTTPRequest(.get, "http://127.0.0.1/").settingHeader("X-Value", value)
        }
    }

    @Test(arguments: ["", "A B", "A:", "Ä", "A\r\n"])
    func namesThatAreNoTokensAreRefused(name: String) async {
        await expect(refusing: .header(name: name)) {
            HTTPRequest(.get, "http://127.0.0.1/").settingHeader(name, "1")
        }
    }

    @Test(arguments: ["Content-Length", "transfer-encoding"])
    func framingIsTheTransportsToSay(name: String) async {
        await expect(refusing: .header(name: name)) {
            HTTPRequest(.post, "http://127.0.0.1/", body: .text("x")).settingHeader(name, "5")
        }
    }
}
