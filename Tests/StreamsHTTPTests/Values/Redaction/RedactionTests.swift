import StreamsHTTP
import Testing

/// The values that a redaction hides in URLs, header fields and bodies.
@Suite struct RedactionTests {
    private let redaction = Redaction(names: ["token", "naïve"])

    @Test(arguments: [
        (#"{"token":"abc","x":1}"#, #"{"token":"***","x":1}"#), (#"{"TOKEN" : "a\"b"}"#, #"{"TOKEN" : "****"}"#),
        (#"{"token":12.5e3,"x":12}"#, #"{"token":11.1e1,"x":12}"#),
        (#"{"token":null,"x":"a"}"#, #"{"token":null,"x":"a"}"#),
        (#"{"a":{"token":["b",{"c":7}]},"d":8}"#, #"{"a":{"token":["*",{"*":1}]},"d":8}"#),
        (#"{"tok\u0065n":"abc"}"#, #"{"tok\u0065n":"***"}"#), (#"{"na\u00efve":"abc"}"#, #"{"na\u00efve":"***"}"#),
        (#"data: {"token":"abc"}"#, #"data: {"token":"***"}"#), (#"["token","abc"]"#, #"["token","abc"]"#),
        (#"{"token":"unfinish"#, #"{"token":"********"#), (#"{"x":"token","y":"a"}"#, #"{"x":"token","y":"a"}"#),
        (#"{"token":"#, #"{"token":"#), (#"\"#, #"\"#), (#"""#, #"""#), ("plain", "plain"),
        (#"{"a":{"token":1},"b":2}"#, #"{"a":{"token":1},"b":2}"#),
        (#"{"a":"{\"token\":\"b\\\"c\",\"d\":\"e\"}"}"#, #"{"a":"{\"token\":\"******\",\"d\":\"e\"}"}"#),
        (#"{"a":"{\u0022token\u0022:\u0022b\u00e4\u0022}"}"#, #"{"a":"{\u0022token\u0022:\u0022*******\u0022}"}"#),
        (#"["{\"token\":1","\"\ud83d\"#, #"["{\"token\":1","\"\ud83d\"#),
    ])
    func redactsMembersByteForByte(text: String, expected: String) {
        let masked = redaction.redacting(body: Data(text.utf8), contentType: "application/json")
        #expect(String(decoding: masked, as: UTF8.self) == expected)
        #expect(masked.count == text.utf8.count)
    }

    @Test(arguments: [
        "db_password", "dbPassword", "DBPassword", "userJWT", "JWTAssertion", "oauth2Token", "password2", "x.apiKey",
        "oauth_verifier", "_csrf", "csrf", "X-XSRF", "hapikey", "sas", "sasURL", "pin", "cardPin",
        "csrfmiddlewaretoken",
        "shop-api-key", "user[db_password]", "a%5BdbPassword%5D", "my+api+key", "größeToken", "SECRET_VALUE",
    ])
    func hidesNamesWithAWordOfSecrets(name: String) throws {
        let redaction = Redaction()
        #expect(redaction.redacting(url: "/?a=b&\(name)=c") == "/?a=b&\(name)=<hidden>")
        let type = "application/x-www-form-urlencoded"
        let form = redaction.redacting(body: Data("\(name)=c".utf8), contentType: type)
        #expect(String(decoding: form, as: UTF8.self) == "\(name)=*")
        guard !name.contains("%"), !name.contains("+") else { return }
        let document = redaction.redacting(body: Data(#"{"\#(name)":"c"}"#.utf8), contentType: "application/json")
        #expect(String(decoding: document, as: UTF8.self) == #"{"\#(name)":"*"}"#)
    }

    @Test(arguments: [
        "shipping", "sassy", "pinned", "spin", "verifier", "pin_count", "monkey", "tokenizer", "max_tokens", "passport",
        "idempotencyKey", "sortKey", "api", "design", "token_type",
        "tokenEndpoint", "token_expires_in", "passwordless", "_", "",
    ])
    func showsNamesWithoutSuchAWord(name: String) {
        #expect(Redaction().redacting(url: "/?\(name)=c") == "/?\(name)=c")
        let document = Data(#"{"\#(name)":"c"}"#.utf8)
        #expect(Redaction().redacting(body: document, contentType: "application/json") == document)
    }

    @Test func wordsAreAProgramsToChoose() throws {
        #expect(redaction.redacting(url: "/?shop_token=a") == "/?shop_token=a")
        var redaction = Redaction(names: [], words: ["shop-pin"])
        #expect(redaction.redacting(url: "/?my_shop_pin=a&shop=b&pin=c") == "/?my_shop_pin=<hidden>&shop=b&pin=c")
        redaction.words.insert("Number")
        #expect(redaction.words == ["shoppin", "number"])
        #expect(redaction.redacting(url: "/?cardNumber=a") == "/?cardNumber=<hidden>")
        let copy = try JSONDecoder().decode(Redaction.self, from: JSONEncoder().encode(redaction))
        #expect(copy == redaction)
        let earlier = try JSONDecoder().decode(
            Redaction.self, from: Data(#"{"names":["token"],"parameters":[]}"#.utf8))
        #expect(earlier == Redaction(names: ["token"]))
    }

    @Test(arguments: [
        ("--b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\nab\r\nc\r\n--b--\r\n", "ab\r\nc"),
        ("--b\r\ncontent-disposition:form-data;name=token\r\n\r\nabc\r\n--b--\r\n", "abc"),
        ("--b\r\nContent-Disposition: form-data; name=\"to%6ben\"; filename=\"f\"\r\n\r\nabc\r\n--b--", "abc"),
        ("--b\r\nContent-Disposition: form-data; name=\"user[token]\"\r\n\r\nabc", "abc"),
    ])
    func redactsParts(text: String, secret: String) {
        let masked = redaction.redacting(
            body: Data(text.utf8), contentType: "multipart/form-data; charset=x; boundary=\"b\"")
        let stars = String(repeating: "*", count: secret.utf8.count)
        #expect(String(decoding: masked, as: UTF8.self) == text.replacing(secret, with: stars))
    }

    @Test(arguments: [
        "", "--b", "--b\r\n\r\n", "--b\r\n\r\n--b--", "\r\n\r\n", "--b\r\nContent-Disposition: x\r\n\r\n\r\n",
    ])
    func keepsOtherMultipartBytes(text: String) {
        let masked = redaction.redacting(body: Data(text.utf8), contentType: "multipart/form-data; boundary=b")
        #expect(String(decoding: masked, as: UTF8.self) == text)
    }

    /// Names are equal in any case, with any separators, and with or without the prefix.
    @Test(arguments: ["api_key", "API-KEY", "apiKey", "X-Api-Key", "x_api_key", "Apikey"])
    func comparesNamesLeniently(name: String) {
        let redaction = Redaction(names: [name])
        for other in ["api_key", "x-API-KEY", "apiKey"] {
            #expect(redaction.redacting(url: "/?\(other)=a") == "/?\(other)=<hidden>")
        }
        #expect(redaction.redacting(url: "/?api=a&apikeys=b&_=c") == "/?api=a&apikeys=b&_=c")
        #expect(redaction == Redaction(names: ["api_key"]))
    }

    @Test(arguments: ["x-", "_", "-", "x", "", "%", "+", "[]", ".", "x_-_", "ÄPI_KEY", "\u{301}token"])
    func toleratesOddNames(name: String) {
        let redaction = Redaction(names: ["äpi-key", "", "_"])
        let isSecret = name == "ÄPI_KEY"
        #expect(redaction.redacting(url: "/?\(name)=a") == "/?\(name)=\(isSecret ? "<hidden>" : "a")")
    }

    /// URLs in the parameters and the paths of others, as they are and percent-encoded.
    @Test(arguments: [
        ("/?u=https%3A%2F%2Fh%2Fp%3Ftoken%3Dabc%26x%3D1&y=2", "/?u=https%3A%2F%2Fh%2Fp%3Ftoken%3D<hidden>%26x%3D1&y=2"),
        ("/?u=%2Fp%3Ftoken%3Dabc", "/?u=%2Fp%3Ftoken%3D<hidden>"), ("/?u=p%3ftoken=abc", "/?u=p%3ftoken=<hidden>"),
        ("/?u=h%253A%252F%252Fh%253Ftoken%253Dabc%2526x", "/?u=h%253A%252F%252Fh%253Ftoken%253D<hidden>%2526x"),
        ("/?u=https%3A%2F%2Fann%3Aabc%40h%2F", "/?u=https%3A%2F%2Fh%2F"), ("/?u=https://ann:abc@h/", "/?u=https://h/"),
        ("/login/https%3A%2F%2Fh%3Ftoken%3Dabc", "/login/https%3A%2F%2Fh%3Ftoken%3D<hidden>"),
        ("/?u=p%3Ftoken%3D", "/?u=p%3Ftoken%3D<hidden>"), ("/?u=p%3Ftoken%3D&x=%", "/?u=p%3Ftoken%3D<hidden>&x=%"),
        ("/#u=p%3Ftoken%3Dabc", "/#u=p%3Ftoken%3D<hidden>"), ("/?u=100%&x=50%25&y=%zz", "/?u=100%&x=50%25&y=%zz"),
        ("/?q=shipping&u=a%20b%3F", "/?q=shipping&u=a%20b%3F"), ("/a%20b?c=d@e", "/a%20b?c=d@e"),
    ])
    func redactsURLsInURLs(url: String, redacted: String) {
        #expect(redaction.redacting(url: url) == redacted)
        #expect(redaction.redacting(url: redacted) == redacted)
        #expect(redaction.redactingParameters(in: "GET http://h\(url)") == "GET http://h\(redacted)")
    }

    /// Fields that no rule names as those of URLs.
    @Test(arguments: [
        ("https://h/p?sv=1&sig=abc&se=2", "https://h/p?sv=1&sig=<hidden>&se=2"),
        ("see https://ann:abc@h/?sig=abc, or /p?sig=abc#x", "see https://h/?sig=<hidden> or /p?sig=<hidden>#x"),
        (#"{"url":"https://h/?sig=abc","n":1}"#, #"{"url":"https://h/?sig=<hidden>","n":1}"#),
        ("<https://h/?a=b&sig=abc>; title=\"x\"", "<https://h/?a=b&sig=<hidden>>; title=\"x\""),
        ("next?sig=abc", "next?sig=<hidden>"), ("text/html; charset=utf-8", "text/html; charset=utf-8"),
        ("is it so? sig=1", "is it so? sig=1"), ("a@b, \"c\"; sig=d", "a@b, \"c\"; sig=d"), ("50%", "50%"),
    ])
    func redactsURLsInFields(value: String, redacted: String) {
        for name in ["Operation-Location", "Azure-AsyncOperation", "X-Next", "Link"] {
            let field = HTTPHeaders.Field(name: name, value: value)
            #expect(Redaction().redactedValue(of: field) == redacted)
            #expect(field.description == "\(name): \(redacted)")
        }
    }

    @Test(arguments: [
        (#"{"url":"https://h/?sig=abc&x=1"}"#, #"{"url":"https://h/?sig=***&x=1"}"#),
        (#"["https:\/\/h\/?x=1\u0026sig=abc\u0026y"]"#, #"["https:\/\/h\/?x=1\u0026sig=***\u0026y"]"#),
        (#"{"a":"see https://ann:abc@h/ or /p?sig=abc"}"#, #"{"a":"see https://*******@h/ or /p?sig=***"}"#),
        (#"{"a":"{\"url\":\"/p?sig=abc\"}"}"#, #"{"a":"{\"url\":\"/p?sig=***\"}"}"#),
        (#"{"u":"/?u=%2Fp%3Fsig%3Dabc"}"#, #"{"u":"/?u=%2Fp%3Fsig%3D***"}"#),
        ("<a href='/p?x=1&amp;sig=abc'>", "<a href='/p?x=1&amp;sig=****>"),
        ("data: https://h/?sig=abc\n\ndata: sig=abc\n", "data: https://h/?sig=***\n\ndata: sig=abc\n"),
        (
            #"{"q":"is it so? sig=1","shipping":"a","sassy":"b"}"#,
            #"{"q":"is it so? sig=1","shipping":"a","sassy":"b"}"#
        ),
    ])
    func redactsURLsInBodies(body: String, redacted: String) {
        for type in ["application/json", "text/plain", nil] {
            let masked = Redaction().redacting(body: Data(body.utf8), contentType: type)
            #expect(String(decoding: masked, as: UTF8.self) == redacted)
        }
    }

    @Test(arguments: [
        ("u=https%3A%2F%2Fh%2F%3Fsig%3Dabc&x=a+b", "u=https%3A%2F%2Fh%2F%3Fsig%3D***&x=a+b"),
        ("u=/p?sig=abc&v=?x%3Fsig%3Dabc", "u=/p?sig=***&v=?x%3Fsig%3D***"),
        ("u=https://ann:abc@h/?x&sig=a;b", "u=https://*******@h/?x&sig=***"),
    ])
    func redactsURLsInForms(form: String, redacted: String) {
        let masked = Redaction().redacting(body: Data(form.utf8), contentType: "application/x-www-form-urlencoded")
        #expect(String(decoding: masked, as: UTF8.self) == redacted)
    }

    /// Encodings inside of each other, of which an attacker may send any number.
    @Test func boundsTheDepthOfEncodings() {
        let url = "/?u=" + String(repeating: "%25", count: 20_000) + "3Ftoken%3Dabc"
        #expect(redaction.redacting(url: url).utf8.count <= url.utf8.count + 10)
    }

    @Test func redactsFragmentsAndNestedURLs() {
        #expect(redaction.redacting(url: "/p#token=a&b=c") == "/p#token=<hidden>&b=c")
        #expect(redaction.redacting(url: "/p?next=/q?token=a&b=c") == "/p?next=/q?token=<hidden>&b=c")
        #expect(redaction.redacting(url: "/p?a=1;token=b;c&d=2") == "/p?a=1;token=<hidden>&d=2")
        let links: HTTPHeaders = [
            "Link": "<http://u:p@h/?token=a>; rel=next, </?token=b>; rel=last", "Location": "/?token=a",
        ]
        #expect(
            redaction.redacting(links)
                == [
                    "Link": "<http://h/?token=<hidden>>; rel=next, </?token=<hidden>>; rel=last",
                    "Location": "/?token=<hidden>",
                ])
    }

    @Test func redactsParametersInURLsAndForms() {
        let redaction = Redaction(names: [], parameters: ["to ken"])
        #expect(redaction.redacting(url: "http://h/p?to%20ken=a&b=c#f") == "http://h/p?to%20ken=<hidden>&b=c#f")
        #expect(redaction.redacting(url: "/p?To+Ken=a&to%20ken&b") == "/p?To+Ken=<hidden>&to%20ken&b")
        #expect(redaction.redacting(url: "/p") == "/p")
        let form = redaction.redacting(
            body: Data("a=1&to+ken=xyz".utf8), contentType: "application/x-www-form-urlencoded; charset=utf-8")
        #expect(String(decoding: form, as: UTF8.self) == "a=1&to+ken=***")
    }

    /// A delimiter with a combining mark behind it is another character to Swift.
    @Test(arguments: ["\u{301}", "\u{200D}", "\u{FE0F}"])
    func redactsBehindCombiningMarks(mark: String) {
        #expect(redaction.redacting(url: "/a?\(mark)&token=\(mark)x#\(mark)") == "/a?\(mark)&token=<hidden>#\(mark)")
        let form = redaction.redacting(
            body: Data("token=\(mark)x".utf8), contentType: "application/x-www-form-urlencoded")
        #expect(String(decoding: form, as: UTF8.self) == "token=" + String(repeating: "*", count: mark.utf8.count + 1))
    }

    @Test func redactsFormsOfInvalidUTF8() {
        let form = Data("a=".utf8) + [0xFF, 0xC3, 0x28] + Data("&token=xyz&b=".utf8) + [0xE4]
        let masked = redaction.redacting(body: form, contentType: "application/x-www-form-urlencoded")
        #expect(masked == Data("a=".utf8) + [0xFF, 0xC3, 0x28] + Data("&token=***&b=".utf8) + [0xE4])
    }
}
