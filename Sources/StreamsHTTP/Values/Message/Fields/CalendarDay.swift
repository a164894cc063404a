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
