import Testing

@testable import StreamsFoundation

@Suite struct SessionResponseTests {
    @Test(arguments: [
        ("a=1", ["a=1"]), ("a=1, b=2,c=3", ["a=1", "b=2", "c=3"]), ("a=1,2; Path=/", ["a=1,2; Path=/"]), ("", [""]),
        ("a=1, x y=2", ["a=1, x y=2"]),
        (
            "a=1; Expires=Wed, 09 Nov 2033 10:00:00 GMT; Path=/, b=2; Expires=Wednesday, 09-Nov-33 10:00:00 GMT, c=3",
            [
                "a=1; Expires=Wed, 09 Nov 2033 10:00:00 GMT; Path=/", "b=2; Expires=Wednesday, 09-Nov-33 10:00:00 GMT",
                "c=3",
            ]
        ),
    ])
    func separatesJoinedCookies(text: String, values: [String]) {
        #expect(text.separatedCookies == values)
    }
}
