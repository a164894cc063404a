import CStreams

/// Names of hosts in other scripts (RFC 5890), mapped by the library that libcurl uses. libcurl itself takes names to be
/// in the encoding of the process's locale, which is not UTF-8 unless a program sets it.
enum InternationalName {
    // Safe because it is never changed.
    nonisolated(unsafe) private static let library = streams_load_idn2()

    /// Whether the system has the library.
    static var isSupported: Bool { library != nil }

    /// Returns a name in ASCII, as name servers know it (UTS 46); `nil` if it is not allowed.
    ///
    /// - Throws: ``HTTPError/InvalidRequest/unsupportedInternationalName`` if the system lacks the library.
    static func ascii(of name: String) throws(HTTPError.Reason) -> String? {
        guard let library = library?.pointee else { throw .invalidRequest(.unsupportedInternationalName(name)) }
        // The library reads the name only to a NUL.
        guard !name.utf8.contains(0) else { return nil }
        // Names that only the older rules allow, such as those of symbols, are mapped by them, as libcurl does.
        return map(name, Idn2NonTransitional, library) ?? map(name, Idn2Transitional, library)
    }

    private static func map(_ name: String, _ mode: Idn2Flag, _ library: Idn2) -> String? {
        var result: UnsafeMutablePointer<UInt8>?
        let flags = CInt(Idn2NormalizeInput.rawValue | mode.rawValue)
        let code = name.withCString(encodedAs: UTF8.self) { library.lookup($0, &result, flags) }
        defer { library.free(result) }
        guard code == 0, let result else { return nil }
        return String(cString: result)
    }
}
