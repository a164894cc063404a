/// The parts of a date in a text.
struct DateParts {
    /// The maximum number of names, numbers and times that are read: a weekday, a day, a month, a year, a time and a
    /// time zone.
    private static let maxCount = 6

    private static let weekdays = [
        "mon", "tue", "wed", "thu", "fri", "sat", "sun",
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]
    /// The zones of RFC 5322, section 4.3, in hours from UTC.
    private static let zones = [
        "gmt": 0, "ut": 0, "utc": 0, "z": 0,
        "edt": -4, "est": -5, "cdt": -5, "cst": -6, "mdt": -6, "mst": -7, "pdt": -7, "pst": -8,
    ]

    private var hasWeekday = false
    private var year: Int?
    /// The month, from 1 on.
    private var month: Int?
    private var day: Int?
    /// The seconds since midnight.
    private var time: Int?
    /// The difference of local time from UTC, in seconds.
    private var offset: Int?
    /// Whether the next number is the day of the month, if it can be one, and not the year.
    private var expectsDay = true

    /// Reads the parts of a text; `nil` if one of them has no meaning.
    init?(_ text: String) {
        var rest = text.utf8[...]
        var sign: UInt8?
        for _ in 0..<Self.maxCount {
            while let byte = rest.first, !byte.isLetter, !byte.isDigit {
                sign = byte
                rest.removeFirst()
            }
            guard let first = rest.first else { break }
            if first.isLetter {
                let name = rest.prefix { $0.isLetter }
                rest.removeFirst(name.count)
                guard take(name: String(Substring(name)).lowercased()) else { return nil }
            } else if Self.hasColon(rest.drop { $0.isDigit }) {
                guard time == nil, let time = Self.time(at: &rest) else { return nil }
                self.time = time
            } else {
                let digits = rest.prefix { $0.isDigit }
                rest.removeFirst(digits.count)
                guard let number = Int(Substring(digits)), take(number, digitCount: digits.count, after: sign) else {
                    return nil
                }
            }
            sign = nil
        }
    }

    private mutating func take(name: String) -> Bool {
        if !hasWeekday, Self.weekdays.contains(name) {
            hasWeekday = true
        } else if month == nil, let index = CalendarDay.months.firstIndex(of: name) {
            month = index + 1
        } else if offset == nil, let hours = Self.zones[name] {
            offset = hours * 3600
        } else {
            return false
        }
        return true
    }

    private mutating func take(_ number: Int, digitCount: Int, after sign: UInt8?) -> Bool {
        let isSigned = sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-")
        if offset == nil, isSigned, digitCount == 4, number <= 1400 {
            let seconds = (number / 100 * 60 + number % 100) * 60
            offset = sign == UInt8(ascii: "-") ? -seconds : seconds
        } else if digitCount == 8, year == nil, month == nil, day == nil {
            (year, month, day) = (number / 10_000, number / 100 % 100, number % 100)
        } else if day == nil, expectsDay, (1...31).contains(number) {
            day = number
            expectsDay = false
        } else if year == nil {
            year = Self.century(of: number) + number
            expectsDay = true
        } else {
            return false
        }
        return true
    }

    /// Returns the century that a year of two digits lacks.
    private static func century(of year: Int) -> Int {
        switch year {
        case 0...70: 2000
        case 71...99: 1900
        default: 0
        }
    }

    /// The seconds since the beginning of 1970 in UTC; `nil` if the day, the month or the year is missing, or if there
    /// is no such day.
    var seconds: Int? {
        guard let year, let month, let day, let date = CalendarDay(year, month, day) else { return nil }
        return date.number * 86_400 + (time ?? 0) - (offset ?? 0)
    }
}

// MARK: Times

extension DateParts {
    /// Removes a time, such as `08:49:37`, from the beginning of a text. The hour and the minute are enough, and each
    /// number has one or two digits.
    ///
    /// - Returns: The seconds since midnight; `nil` if there is no such time.
    private static func time(at text: inout Substring.UTF8View) -> Int? {
        guard let hour = number(at: &text, below: 24), let minute = numberAfterColon(at: &text, below: 60) else {
            return nil
        }
        // A leap second is the 60th.
        guard let second = hasColon(text) ? numberAfterColon(at: &text, below: 61) : 0 else { return nil }
        return (hour * 60 + minute) * 60 + second
    }

    /// Returns whether a text begins with a colon that a digit follows.
    private static func hasColon(_ text: Substring.UTF8View) -> Bool {
        text.first == UInt8(ascii: ":") && text.dropFirst().first?.isDigit ?? false
    }

    private static func numberAfterColon(at text: inout Substring.UTF8View, below limit: Int) -> Int? {
        guard hasColon(text) else { return nil }
        text.removeFirst()
        return number(at: &text, below: limit)
    }

    private static func number(at text: inout Substring.UTF8View, below limit: Int) -> Int? {
        let digits = text.prefix(2).prefix { $0.isDigit }
        guard let number = Int(Substring(digits)), number < limit else { return nil }
        text.removeFirst(digits.count)
        return number
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercasedASCII) }
}

/// A day of the Gregorian calendar.
struct CalendarDay {
    /// The names of the months in dates of HTTP, in lower case.
    static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// The number of days since the beginning of 1970.
    let number: Int

    /// Creates a day from its year, its month, from 1 on, and its day of the month; `nil` if there is no such day.
    init?(_ year: Int, _ month: Int, _ day: Int) {
        // East of UTC, the year 10,000 begins while the year of UTC is 9999.
        guard (0...10_000).contains(year), (1...12).contains(month) else { return nil }
        let first = Self.days(before: month, of: year)
        guard (1...Self.days(before: month + 1, of: year) - first).contains(day) else { return nil }
        number = first + day - 1
    }

    /// Returns the days from the beginning of 1970 to that of a month. The month 13 is the first of the next year.
    private static func days(before month: Int, of year: Int) -> Int {
        // Years that begin in March have their leap day at the end, and the lengths of their months follow a formula.
        let year = month < 3 ? year - 1 : year
        let month = (month + 9) % 12
        return year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 - 719_468
    }
}

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

extension HTTPDate {
    /// Returns the date in one of the three forms of RFC 9110, section 5.6.7; `nil` for a similar one. The case of
    /// letters does not matter, and a wrong day of the week is not noticed.
    static func strict(_ text: String) -> HTTPDate? {
        forms.contains { text.utf8.matches($0) } ? HTTPDate(text) : nil
    }

    /// The forms: `a` stands for a letter, `0` for a digit and `_` for a digit or a space.
    private static let forms = [
        "aaa, 00 aaa 0000 00:00:00 GMT",
        "aaaaaa, 00-aaa-00 00:00:00 GMT",
        "aaaaaaa, 00-aaa-00 00:00:00 GMT",
        "aaaaaaaa, 00-aaa-00 00:00:00 GMT",
        "aaaaaaaaa, 00-aaa-00 00:00:00 GMT",
        "aaa aaa _0 00:00:00 0000",
    ].map { Array($0.utf8) }
}

extension String.UTF8View {
    /// Returns whether the text has a form.
    fileprivate func matches(_ form: [UInt8]) -> Bool {
        count == form.count
            && zip(self, form).allSatisfy { byte, expected in
                switch expected {
                case UInt8(ascii: "a"): byte.isLetter
                case UInt8(ascii: "0"): byte.isDigit
                case UInt8(ascii: "_"): byte.isDigit || byte == UInt8(ascii: " ")
                default: byte.lowercasedASCII == expected.lowercasedASCII
                }
            }
    }
}
