import StreamsHTTP
import Testing

@Suite struct HTTPHeadersMakingTests {
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

    @Test func thereAreReadyMadeOnes() throws {
        #expect(HTTPHeaders.json == ["Accept": "application/json", "Content-Type": "application/json"])
        let authorized = HTTPHeaders.json(bearerToken: "t")
        #expect(authorized["Authorization"] == "Bearer t" && authorized.count == 3)
        #expect(try #require(authorized.last).isSensitive)
        #expect(HTTPHeaders.multipart(boundary: "b")["Content-Type"] == "multipart/form-data; boundary=b")
        #expect(HTTPHeaders.multipart(boundary: "a b")["Content-Type"] == "multipart/form-data; boundary=\"a b\"")
        #expect(HTTPHeaders.multipart(boundary: "b", bearerToken: "t")["Authorization"] == "Bearer t")
    }

    @Test func aNestedPropertyIsNoField() async throws {
        let headers = try HTTPHeaders(encoding: ["a": ["b": "c"]])
        await expect(refusing: .header(name: "a[b]")) { HTTPRequest(.get, "http://127.0.0.1/", headers: headers) }
    }
}
