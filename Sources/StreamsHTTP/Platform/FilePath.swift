extension String {
    /// Throws an error for a path with a NUL, at which the system's functions would end it.
    package func checkPath() throws(FileError) {
        if utf8.contains(0) { throw FileError(path: self, code: EINVAL) }
    }
}
