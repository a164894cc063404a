import CLibcurl

/// A date in one of the three forms of RFC 9110, section 5.6.7.
struct HTTPDate {
    let date: Date

    /// The last second of the year 9999. A year has four digits (RFC 9110, section 5.6.7), but libcurl accepts more.
    private static let last: Int64 = 253_402_300_799

    init?(_ text: String) {
        let seconds = Int64(curl_getdate(text, nil))
        guard (0...Self.last).contains(seconds) else { return nil }
        date = Date(timeIntervalSince1970: Double(seconds))
    }
}
