import StreamsHTTP
import Testing

@Suite struct HTTPHeadersInitializersTests {
    private struct Fields: Encodable {
        let accept: String
        let tags: [String]
        let key: String?

        enum CodingKeys: String, CodingKey {
            case accept = "Accept"
            case tags = "X-Tag"
            case key = "X-Key"
        }
    }

    @Test func propertiesBecomeFields() throws {
        let headers = try HTTPHeaders(encoding: Fields(accept: "text/plain", tags: ["a", "b"], key: nil))
        #expect(headers == ["Accept": "text/plain", "X-Tag": "a", "X-Tag": "b"])
    }

    @Test func dictionariesBecomeFields() {
        let values: [String: String?] = ["X-B": "2", "X-A": "1", "X-C": nil]
        #expect(HTTPHeaders(values) == ["X-A": "1", "X-B": "2"])
        let all = ["X-B": "2"]
        #expect(HTTPHeaders(all) == ["X-B": "2"])
    }

    @Test func thereAreReadyMadeOnes() {
        #expect(HTTPHeaders.json == ["Accept": "application/json", "Content-Type": "application/json"])
        #expect(HTTPHeaders.multipart(boundary: "b")["Content-Type"] == "multipart/form-data; boundary=b")
        #expect(HTTPHeaders.multipart(boundary: "a b")["Content-Type"] == "multipart/form-data; boundary=\"a b\"")
    }

    @Test func aNestedPropertyIsNoField() async throws {
        let headers = try HTTPHeaders(encoding: ["a": ["b": "c"]])
        await expect(refusing: .headerName("a[b]")) { HTTPRequest(.get, "http://127.0.0.1/", headers: headers) }
    }
}
