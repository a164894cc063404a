/// A date of a header field, in one of the three forms of RFC 9110, section 5.6.7, or in a similar one.
///
/// As libcurl's `curl_getdate` does, it takes names and numbers in any order, with any separators, and ignores what
/// follows the sixth. A date without a time is midnight, and one without a time zone is in UTC. There are these
/// differences:
///
/// - The time zones are those of RFC 5322, section 4.3, numbers such as `-0700`, and `Z`. libcurl knows more names, and
///   letters.
/// - The numbers of a time have one or two digits, and no date has a time that is out of range. Some versions of
///   libcurl skip two characters for one digit.
/// - A day that its month does not have is an error. To libcurl, 30 February is 2 March.
/// - The years are 1970 to 9999.
package struct HTTPDate {
    package let date: Date

    /// The last second of the year 9999. A year has four digits.
    private static let last = 253_402_300_799

    package init?(_ text: String) {
        guard let seconds = DateParts(text)?.seconds, (0...Self.last).contains(seconds) else { return nil }
        date = Date(timeIntervalSince1970: Double(seconds))
    }
}
