import StreamsHTTP

extension String {
    /// Creates the text of a time, in UTC.
    ///
    /// - Parameter format: A format of `strftime` for at most 63 bytes. The tool sets no locale, so names are English.
    init(_ time: time_t, format: String) {
        var (time, parts) = (time, tm())
        gmtime_r(&time, &parts)
        self.init(unsafeUninitializedCapacity: 64) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { text in
                strftime(text.baseAddress, text.count, format, &parts)
            }
        }
    }
}
