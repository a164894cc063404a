extension stat {
    /// The time of the last change to the contents.
    var modification: timespec {
        #if canImport(Darwin)
        st_mtimespec
        #else
        st_mtim
        #endif
    }

    /// Returns the number of seconds between the last change to the contents and a time: a positive one also if the
    /// change is in the future, because a clock was wrong.
    func distance(to time: Int64) -> UInt64 {
        let (distance, overflow) = time.subtractingReportingOverflow(Int64(modification.tv_sec))
        return overflow ? .max : distance.magnitude
    }
}
