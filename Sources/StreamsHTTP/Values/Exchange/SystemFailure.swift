extension TransportFailure {
    /// Creates a failure of a system call.
    ///
    /// - Parameters:
    ///   - code: The value of `errno`.
    ///   - reason: The reason, unless the process or the system lacks a descriptor.
    init(system code: CInt, _ reason: HTTPError.Reason = .transfer(.other)) {
        self.init(
            code == EMFILE || code == ENFILE ? .connection(.resourceExhausted) : reason,
            underlying: HTTPError.Underlying(
                domain: "errno", code: Int(code), message: String(cString: strerror(code))))
    }
}
