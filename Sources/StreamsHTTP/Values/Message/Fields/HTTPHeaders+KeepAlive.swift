extension HTTPHeaders {
    /// The time after which the server closes the connection if it is idle, as `Keep-Alive` announces it (RFC 2068,
    /// section 19.7.1.1); `nil` if it announces none.
    var keepAliveTimeout: Duration? {
        fields.first { $0.name.isEqualIgnoringASCIICase(to: "Keep-Alive") }?.value.keepAliveTimeout
    }
}

extension String {
    /// The timeout in a list of parameters: `timeout=5, max=100`. Does not allocate, because some servers send it with each
    /// response.
    fileprivate var keepAliveTimeout: Duration? {
        var rest = self[...].utf8
        while !rest.isEmpty {
            let parameter = rest.prefix { $0 != UInt8(ascii: ",") }
            rest = rest[parameter.endIndex...].dropFirst()
            let name = parameter.prefix { $0 != UInt8(ascii: "=") }
            guard name.trimmingBlanks.lazy.map(\.lowercasedASCII).elementsEqual("timeout".utf8) else { continue }
            let value = parameter[name.endIndex...].dropFirst().trimmingBlanks
            return Substring(value).decimalNumber.map { .seconds($0) }
        }
        return nil
    }
}

extension Substring.UTF8View {
    fileprivate var trimmingBlanks: Substring.UTF8View {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        var rest = drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest
    }
}
