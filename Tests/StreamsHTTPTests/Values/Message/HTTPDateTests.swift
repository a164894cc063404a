import Testing

@testable import StreamsHTTP

@Suite struct HTTPDateTests {
    private static let example: Double = 784_111_777

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func readsFormsOfRFC9110(text: String) {
        #expect(HTTPDate(text)?.date == Date(timeIntervalSince1970: Self.example))
    }

    @Test(arguments: [
        "06 Nov 1994 08:49:37", "6-nov-94 8:49:37", "1994 Nov 6 08:49:37", "94 6 Nov 08:49:37", "19941106 08:49:37",
        "GMT 08:49:37 06-Nov-94 Sunday", "Sun, 06 Nov 1994 01:49:37 -0700", "Sun, 06 Nov 1994 10:49:37 +0200",
        "Sun, 06 Nov 1994 03:49:37 EST", "Sun, 06 Nov 1994 08:49:37 Z", "Sun, 06 Nov 1994 08:49:37 GMT; more 1 2 3",
        "Sun, 06 Nov 1994 08:49:37 GMT+0000",
    ])
    func readsSimilarForms(text: String) {
        #expect(HTTPDate(text)?.date == Date(timeIntervalSince1970: Self.example))
    }

    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 01 Jan 1970", 0), ("1 Jan 1970 0:01", 60),
        ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800), ("29 Feb 2000", 951_782_400),
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ("31 Dec 70", 3_187_209_600), ("1 Jan 71", 31_536_000),
        ("1 Jan 10000 00:30 +0100", 253_402_299_000),
        ("31 Dec 1969 23:00 -0100", 0),
    ])
    func countsSeconds(text: String, seconds: Int) {
        #expect(HTTPDate(text)?.date == Date(timeIntervalSince1970: Double(seconds)))
    }

    @Test(arguments: [
        "", " ", "soon", "120", "Sun", "06 Nov", "Nov 1994", "06 1994", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun Sun 06 Nov 1994", "06 Nov Dec 1994", "06 Nov 1994 7", "06 Nov 1994 GMT UTC", "06 November 1994",
        "32 Nov 1994", "0 Nov 1994", "30 Feb 2024", "29 Feb 2023", "29 Feb 2100", "31 Jun 2024", "19941306", "19941100",
        "06 Nov 1994 24:00:00", "06 Nov 1994 08:60", "06 Nov 1994 08:49:61", "06 Nov 1994 008:49:37",
        "06 Nov 1994 08:49:37 08:49:37", "31 Dec 1969 23:59:59", "1 Jan 10000", "06 Nov 99999999999999999999",
        "06 Nov 9223372036854775807", "٠٦ Nov 1994",
    ])
    func refusesOtherTexts(text: String) {
        #expect(HTTPDate(text) == nil)
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "SUN, 06 nov 1994 08:49:37 gmt", "Saturday, 06-Nov-94 08:49:37 GMT",
    ])
    func readsFormsStrictly(text: String) {
        #expect(HTTPDate.strict(text)?.date == Date(timeIntervalSince1970: Self.example))
    }

    @Test(arguments: [
        "", "0", "-1", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0000",
        "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06  Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08.49.37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 31 Feb 2000 00:00:00 GMT",
        "Xyz, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37", "Sun Nov 6 08:49:37 1994",
        "Sun Nov  6 08:49:37 1994 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sün, 06 Nov 1994 08:49:37 GMT",
    ])
    func refusesSimilarFormsStrictly(text: String) {
        #expect(HTTPDate.strict(text) == nil)
    }
}
