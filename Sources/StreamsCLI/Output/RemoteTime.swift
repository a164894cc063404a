import StreamsHTTP

extension HTTPResponse<Void> {
    /// The time of the last change of the content, of the field `Last-Modified`; `nil` without a valid one.
    var modificationTime: timespec? {
        guard let date = headers["Last-Modified"].flatMap(HTTPDate.init)?.date else { return nil }
        return timespec(tv_sec: time_t(date.timeIntervalSince1970), tv_nsec: 0)
    }
}

extension String {
    /// Gives the regular file at this path a time of its last access and change. Others keep theirs.
    func setTime(_ time: timespec) throws(SystemError) {
        var status = stat()
        guard stat(self, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        guard utimensat(AT_FDCWD, self, [time, time], 0) == 0 else {
            throw SystemError(action: "cannot set the time of \(self)", code: errno)
        }
    }
}
