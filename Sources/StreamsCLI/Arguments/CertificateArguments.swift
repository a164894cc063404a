import StreamsHTTP

/// The client certificate of `--cert`, `--key` and `--pass`.
struct CertificateArguments {
    private var certificatePath: String?
    var keyPath: String?
    var password: String?

    /// Reads the value of `--cert`: `FILE` or `FILE:PASSWORD`. A `\` escapes a colon or another `\` of the path.
    mutating func setCertificate(_ argument: String) {
        var path = ""
        var rest = argument[...]
        while let character = rest.popFirst() {
            if character == ":" {
                password = String(rest)
                break
            }
            let isEscape = character == "\\" && (rest.first == ":" || rest.first == "\\")
            path.append(isEscape ? rest.removeFirst() : character)
        }
        certificatePath = path
    }

    /// Returns the certificate, if one was given. A file without `--key` has the key too.
    func certificate() throws(UsageError) -> RequestOptions.Connection.ClientCertificate? {
        guard let certificatePath else {
            guard keyPath == nil, password == nil else { throw UsageError("--key and --pass need --cert") }
            return nil
        }
        return RequestOptions.Connection.ClientCertificate(
            certificatePath: certificatePath, keyPath: keyPath ?? certificatePath, password: password)
    }
}
