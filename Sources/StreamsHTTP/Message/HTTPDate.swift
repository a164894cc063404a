import CLibcurl

/// A date in one of the three forms of RFC 9110, section 5.6.7.
struct HTTPDate {
    let date: Date

    init?(_ text: String) {
        let seconds = curl_getdate(text, nil)
        guard seconds >= 0 else { return nil }
        date = Date(timeIntervalSince1970: Double(seconds))
    }
}
