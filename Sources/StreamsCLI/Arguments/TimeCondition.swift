import StreamsHTTP

/// The condition of `-z`: a representation that is newer, or older, than a date (RFC 9110, sections 13.1.3 and 13.1.4).
struct TimeCondition {
    /// The field that carries the condition.
    let field: HTTPHeaders.Field

    /// Reads the value of `-z`: a date, or a file whose time of modification counts, with a minus sign in front for a
    /// representation that is older.
    ///
    /// - Returns: `nil` if the value is no date and there is no such file, as before a first download: the request then has
    ///   no condition, as with curl.
    init?(_ argument: String) throws(UsageError) {
        guard !argument.hasPrefix("=") else { throw UsageError("-z needs a date or a file, and no = in front of it") }
        let isOlder = argument.hasPrefix("-")
        let value = String(isOlder ? argument.dropFirst() : argument[...])
        var status = stat()
        let seconds: time_t
        if let date = HTTPDate(value)?.date {
            seconds = time_t(date.timeIntervalSince1970)
        } else if stat(value, &status) == 0 {
            #if canImport(Darwin)
            seconds = status.st_mtimespec.tv_sec
            #else
            seconds = status.st_mtim.tv_sec
            #endif
        } else {
            return nil
        }
        // The form of dates in fields (RFC 9110, section 5.6.7).
        field = HTTPHeaders.Field(
            name: isOlder ? "If-Unmodified-Since" : "If-Modified-Since",
            value: String(seconds, format: "%a, %d %b %Y %H:%M:%S GMT"))
    }
}
