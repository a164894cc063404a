/// A date in the text of a cookie, in any of the forms that servers have sent (RFC 6265bis, section 5.1.1).
struct CookieDate {
    let date: Date

    /// Creates a date; `nil` if the text has none.
    init?(_ text: String) {
        var time: (hour: Int, minute: Int, second: Int)?
        var (day, month, year): (Int?, Int?, Int?)
        for token in text.utf8.split(whereSeparator: Self.isDelimiter) {
            if time == nil, let found = Self.time(token) {
                time = found
            } else if day == nil, let found = Self.number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = Self.month(token) {
                month = found
            } else if year == nil, let found = Self.number(token, digits: 2...4) {
                year = found
            }
        }
        guard let time, let day, let month, var year else { return nil }
        if year < 100 { year += year < 70 ? 2000 : 1900 }
        guard year >= 1601, time.hour <= 23, time.minute <= 59, time.second <= 59,
            let day = CalendarDay(year, month, day)
        else { return nil }
        let seconds = time.hour * 3600 + time.minute * 60 + time.second
        date = Date(timeIntervalSince1970: Double(day.number * 86_400 + seconds))
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Returns the number that a token begins with; `nil` if it has not as many digits.
    private static func number(_ token: Substring.UTF8View, digits: ClosedRange<Int>) -> Int? {
        let start = token.prefix(while: isDigit)
        return digits.contains(start.count) ? Int(Substring(start)) : nil
    }

    private static func time(_ token: Substring.UTF8View) -> (Int, Int, Int)? {
        let fields = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, fields[..<2].allSatisfy({ $0.allSatisfy(isDigit) }),
            let hour = number(fields[0], digits: 1...2), let minute = number(fields[1], digits: 1...2),
            let second = number(fields[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    private static func month(_ token: Substring.UTF8View) -> Int? {
        CalendarDay.months.firstIndex(of: Substring(token.prefix(3)).lowercased()).map { $0 + 1 }
    }
}
