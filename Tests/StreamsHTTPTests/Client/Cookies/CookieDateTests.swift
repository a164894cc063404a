import Testing

@testable import StreamsHTTP

@Suite struct CookieDateTests {
    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("6/nOVEMBER/1994,8:49:37", 784_111_777),
            ("08:49:37 1994 6 Nov", 784_111_777), ("8:49:37 6 Nov 1994", 784_111_777),
            ("Thu, 01-Jan-70 00:00:00 GMT", 0),
            ("1 Jan 69 00:00:00", 3_124_224_000), ("29 Feb 2000 00:00:00", 951_782_400), ("29 Feb 2100 00:00:00", nil),
            ("29 Feb 2024 23:59:59", 1_709_251_199), ("31 Apr 2024 00:00:00", nil), ("0 Jan 2024 00:00:00", nil),
            ("1 Jan 1601 00:00:00", -11_644_473_600), ("1 Jan 1600 00:00:00", nil),
            ("1 Jan 9999 00:00:00", 253_370_764_800),
            ("1 Jan 20240 00:00:00", nil), ("1 Jan 2024 24:00:00", nil), ("1 Jan 2024 00:60:00", nil),
            ("1 Jan 2024 00:00:60", nil), ("1 Jan 2024 1:2:3", 1_704_070_923), ("1 Jan 2024 001:2:3", nil),
            ("1st Jan 2024 01:02:03x", 1_704_070_923), ("1 Jan 2024 01:02:031", nil), ("1 Jan 2024", nil), ("", nil),
            ("Jan 2024 00:00:00", nil), ("1 2024 00:00:00", nil), ("1 Ja 2024 00:00:00", nil),
            ("1 Jan 2024x 00:00:00", 1_704_067_200), ("\u{1F36A} 1 Jan 2024 00:00:00", 1_704_067_200),
        ] as [(String, Int?)])
    func readsDates(text: String, seconds: Int?) {
        #expect(CookieDate(text)?.date == seconds.map { Date(timeIntervalSince1970: Double($0)) }, "\(text)")
    }
}
