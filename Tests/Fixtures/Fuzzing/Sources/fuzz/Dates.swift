import CLibcurl
import Foundation

@testable import StreamsHTTP

/// A date that is parsed is the same after it has been written, and to libcurl. The forms of RFC 9110, section 5.6.7,
/// mean the date they were written for, and a delay is never negative.
func fuzzDates(_ input: inout Input) {
    let number = (0..<5).reduce(0) { number, _ in number << 8 | Int(input.byte()) }
    let (text, other) = (input.text(), input.text())

    let seconds = number % 253_402_300_800
    let calendar = CalendarDate(seconds: seconds)
    expectEqual(HTTPDate(calendar.fixdate)?.seconds, seconds, calendar.fixdate)
    expectEqual(HTTPDate(calendar.asctime)?.seconds, seconds, calendar.asctime)

    // Not all versions of libcurl read a time alike that has other numbers than two digits.
    let untimed = text.replacing(":", with: "")
    compareWithLibcurl(untimed, hasKnownParts: false)
    compareWithLibcurl(mixed(number, untimed), hasKnownParts: untimed.isEmpty)
    if let date = HTTPDate(text) {
        let written = CalendarDate(seconds: date.seconds).fixdate
        expectEqual(HTTPDate(written)?.seconds, date.seconds, "\(text.debugDescription) was written as \(written)")
    }
    let now = Date(timeIntervalSince1970: Double(seconds))
    let fields: [HTTPHeaders] = [
        ["Retry-After": text], ["Retry-After": text, "Date": other], ["Retry-After": "\(number)"],
        ["Retry-After": calendar.fixdate, "Date": other],
    ]
    for headers in fields {
        guard let delay = headers.retryAfter(now: now) else { continue }
        expect(delay >= .zero, "a negative delay: \(headers)")
    }
    let delay = HTTPHeaders(["Retry-After": calendar.fixdate]).retryAfter(now: Date(timeIntervalSince1970: 0))
    expect(delay.map { $0 > .zero } ?? false || seconds == 0, "no delay until \(calendar.fixdate)")
}

/// Returns a date whose parts are chosen by a number, in an order and with a separator that it chooses, too.
private func mixed(_ number: Int, _ text: String) -> String {
    var rest = number
    func choose(_ choices: [String]) -> String {
        defer { rest /= choices.count }
        return choices[rest % choices.count]
    }
    var parts = [
        choose(["", "Sun", "Thursday", text]), choose(["6", "31", "06", "29", "0", "28"]),
        choose(["Nov", "feb", "JAN", "Dec"]), choose(["1994", "94", "2024", "9999", "1969", "70"]),
        choose(["08:49:37", "", "23:59", "23:59:60", "00:00:00"]), choose(["GMT", "", "-0700", "EST", "+0130", "UTC"]),
    ]
    let separator = choose([" ", "-", "/", ", "])
    let (first, second) = (Int(choose(["0", "1", "2", "3", "4", "5"])) ?? 0, Int(choose(["0", "2", "4"])) ?? 0)
    parts.swapAt(first, second)
    return parts.joined(separator: separator)
}

/// Stops the program if libcurl reads another date, apart from the differences that `HTTPDate` documents.
///
/// - Parameter hasKnownParts: Whether all names of the text are known, and all times are valid.
private func compareWithLibcurl(_ text: String, hasKnownParts: Bool) {
    // libcurl reads a text to its NUL.
    guard !text.utf8.contains(0) else { return }
    let theirs = Int(curl_getdate(text, nil))
    if let own = HTTPDate(text)?.seconds {
        expectEqual(own, theirs, "libcurl reads \(text.debugDescription) otherwise")
    } else if hasKnownParts, !text.contains("29"), !text.contains("31") {
        // Every month has the other days.
        expect(!(0..<253_402_300_800).contains(theirs), "libcurl alone reads \(text.debugDescription)")
    }
}

extension HTTPDate {
    fileprivate var seconds: Int { Int(date.timeIntervalSince1970) }
}

/// A time in UTC, by an algorithm of its own.
private struct CalendarDate {
    let year: Int
    let month: Int
    let day: Int
    let weekday: Int
    let time: Int

    init(seconds: Int) {
        var days = seconds / 86_400
        time = seconds % 86_400
        weekday = (days + 4) % 7
        var year = 1970
        while days >= Self.days(of: year) {
            days -= Self.days(of: year)
            year += 1
        }
        var month = 0
        while days >= Self.days(of: month, year) {
            days -= Self.days(of: month, year)
            month += 1
        }
        (self.year, self.month, day) = (year, month, days + 1)
    }

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
    private static func days(of year: Int) -> Int { isLeap(year) ? 366 : 365 }
    private static func days(of month: Int, _ year: Int) -> Int {
        month == 1 && isLeap(year) ? 29 : [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month]
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private func padded(_ number: Int, _ count: Int, with pad: String = "0") -> String {
        String(repeating: pad, count: max(count - "\(number)".count, 0)) + "\(number)"
    }

    private var clock: String { "\(padded(time / 3600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2))" }

    /// The preferred form: `Sun, 06 Nov 1994 08:49:37 GMT`.
    var fixdate: String {
        "\(Self.weekdays[weekday]), \(padded(day, 2)) \(Self.months[month]) \(padded(year, 4)) \(clock) GMT"
    }

    /// The form of C: `Sun Nov  6 08:49:37 1994`.
    var asctime: String {
        "\(Self.weekdays[weekday]) \(Self.months[month]) \(padded(day, 2, with: " ")) \(clock) \(padded(year, 4))"
    }
}
