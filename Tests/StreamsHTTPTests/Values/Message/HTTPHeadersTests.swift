import StreamsHTTP
import Testing

@Suite struct HTTPHeadersTests {
    @Test func namesAreFoundWhateverTheirCase() {
        let headers: HTTPHeaders = ["Content-Type": "text/plain", "X-A": "1", "x-a": "2"]
        #expect(headers["content-TYPE"] == "text/plain")
        #expect(headers.values(for: "X-a") == ["1", "2"])
        #expect(!headers.contains("X-B"))
    }

    @Test func namesOfTheRegistryAreNamesLikeAnyOther() {
        var headers: HTTPHeaders = [.accept: "text/plain", "X-\(1)": "a"]
        headers[.userAgent] = "tests"
        headers.add(.accept, "text/html")
        #expect(headers.description == "Accept: text/plain\nX-1: a\nUser-Agent: tests\nAccept: text/html")
        #expect(headers[.accept] == headers["accept"] && headers.values(for: .accept) == ["text/plain", "text/html"])
        headers.set(.accept, "*/*")
        headers.remove(.userAgent)
        #expect(headers == ["Accept": "*/*", "X-1": "a"] && headers.contains(.accept) && !headers.contains(.host))
        #expect(HTTPHeaders.Name("ACCEPT") == .accept && Set<HTTPHeaders.Name>([.accept, "accept"]).count == 1)
        let request = HTTPRequest(.get, "/").settingHeader(.eTag, "a").addingHeader(.eTag, "b").removingHeader(.range)
        #expect(request.headers.values(for: "ETag") == ["a", "b"] && request.removingHeader(.eTag).headers.isEmpty)
    }

    @Test func fieldsWithAWordOfSecretsAreSensitive() {
        for name in [
            "X-Auth-Key", "DD-API-KEY", "X-Shopify-Access-Token", "Cf-Access-Jwt-Assertion", "x-els-apikey", "X-APIKey",
            "X-Amzn-Authorization", "Set-Cookie2", "X-Hub-Signature-512", "X-Twilio-Signature", "X-Db.Password",
            "X-ShopToken", "X-RapidAPI-Key", "x-rapidapi-key", "X-Vault-Token", "Stripe-Signature", "X-Secret",
        ] {
            #expect(HTTPHeaders.Field(name: name, value: "").isSensitive, "\(name)")
        }
        for name in [
            "X-Monkey", "X-Tokenizer", "Idempotency-Key", "Sec-WebSocket-Key", "Cache-Key", "ETag", "X-Passport", "Key",
            "X-Secretary", "X-RateLimit-Remaining-Tokens", "X-Design", "Keep-Alive", "X-Token-Type", "X-Api", "",
        ] {
            #expect(!HTTPHeaders.Field(name: name, value: "").isSensitive, "\(name)")
        }
    }

    @Test func settingInOtherCapitalsKeepsASecret() {
        var headers: HTTPHeaders = ["X-ShopToken": "a"]
        headers.set("x-shoptoken", "b")
        #expect(headers.first?.isSensitive == true)
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
        headers.add("X-Api-Key", "s3cret", isSensitive: true)
        #expect(!headers.description.contains("s3cret"))
        #expect(headers.description.contains("Accept: */*"))
        #expect(headers.filter(\.isSensitive).map(\.name) == ["Authorization", "cookie", "X-Api-Key"])
    }

    @Test func aSecretStaysOneWhenItIsRenewed() {
        var headers: HTTPHeaders = ["Accept": "*/*", "x-plain": "1"]
        headers.add("X-Plain", "2")
        headers.add("X-Api-Key", "first")
        headers.add("x-api-key", "old", isSensitive: true)
        headers["x-api-KEY"] = "s3cret"
        headers["x-plain"] = "3"
        #expect(headers.map(\.isSensitive) == [false, false, true])
        #expect(headers.map(\.value) == ["*/*", "3", "s3cret"])
        #expect(!headers.description.contains("s3cret"))
    }

    @Test func aSecretOfTheDefaultsIsOneOfTheRequestsToo() {
        var defaults: HTTPHeaders = ["X-Plain": "1"]
        defaults.add("X-Api-Key", "old", isSensitive: true)
        let merged = (["x-api-key": "s3cret", "X-Plain": "2"] as HTTPHeaders).merging(defaults: defaults)
        #expect(merged.map(\.isSensitive) == [true, false])
        let request = HTTPRequest(.get, "http://h/", headers: defaults).settingHeaders(["X-API-Key": "s3cret"])
        #expect(request.headers.first { $0.name == "X-API-Key" }?.isSensitive == true)
    }

    @Test func fieldsAreEqualAsHeadersAre() {
        let field = HTTPHeaders.Field(name: "X-Key", value: "a")
        let same = HTTPHeaders.Field(name: "x-key", value: "a", isSensitive: true)
        #expect(field == same && field.hashValue == same.hashValue)
        #expect(field != HTTPHeaders.Field(name: "X-Key", value: "A"))
        #expect(HTTPHeaders([field]) == HTTPHeaders([same]))
    }

    @Test func aFieldIsSensitiveByItsNameOfTheMoment() {
        var field = HTTPHeaders.Field(name: "X-Key", value: "s3cret")
        field.name = "Authorization"
        #expect(field.isSensitive)
        field.isSensitive = false
        #expect(field.isSensitive)
        field.name = "X-Key"
        #expect(!field.isSensitive)
        field.isSensitive = true
        #expect(field.isSensitive)
        #expect(HTTPHeaders.Field(name: "set-cookie", value: "s3cret").isSensitive)
    }

    @Test(arguments: ["a\r\nB: 1", "a\nb", "a\rb", "a\u{0}b", "a\u{7f}"])
    func controlCharactersInValuesAreRefused(value: String) async {
        await expect(refusing: .headerValue(of: "X-Value")) {
            HTTPRequest(.get, "http://127.0.0.1/").settingHeader("X-Value", value)
        }
    }

    @Test(arguments: ["", "A B", "A:", "Ä", "A\r\n"])
    func namesThatAreNoTokensAreRefused(name: String) async {
        await expect(refusing: .headerName(name)) {
            HTTPRequest(.get, "http://127.0.0.1/").settingHeader(name, "1")
        }
    }

    @Test(arguments: ["Content-Length", "transfer-encoding"])
    func framingIsTheTransportsToSay(name: String) async {
        await expect(refusing: .framingHeader(name)) {
            HTTPRequest(.post, "http://127.0.0.1/", body: .text("x")).settingHeader(name, "5")
        }
    }
}
