// The redaction of URLs, of header fields and of the texts of errors.

extension Redaction {
    /// Returns a URL or a relative reference without user information and secret parameters. It need not be valid.
    package func redacting(url: String) -> String {
        redactingParameters(in: url.withoutUserInformation)
    }

    /// Returns a URL without user information and secret parameters.
    package func redacting(_ url: URL) -> String {
        redacting(url: url.absoluteString)
    }

    /// Returns a text that ends with a URL, without the secret parameters of the URL's query and fragment, and without the
    /// secrets of URLs in these.
    package func redactingParameters(in text: String) -> String {
        // Allocates nothing without secrets: policies create many errors that are never shown.
        var secrets = URLSecrets(self)
        text.utf8.withContiguousBytes { secrets.add(ofURL: $0) }
        return text.hiding(secrets.found)
    }

    /// Returns a text without the secrets of the URLs in it.
    package func redacting(text: String) -> String {
        var secrets = URLSecrets(self)
        text.utf8.withContiguousBytes { secrets.add(inText: $0) }
        return text.hiding(secrets.found)
    }

    /// Returns the value of a header field, or a mark in place of a secret one. A value that has URLs is returned
    /// without their secrets.
    package func redactedValue(of field: HTTPHeaders.Field) -> String { redactedText(of: field).string }

    private func redactedText(of field: HTTPHeaders.Field) -> FieldText {
        guard !field.isSensitive, !isSecret(field.name) else { return FieldText(Self.mark) }
        switch field.name.lowercased() {
        case "location", "content-location", "referer", "refresh":
            return field.text.map(redacting(url:))
        default:
            return field.text.map(redacting(text:))
        }
    }

    /// Returns header fields with marks in place of secrets.
    package func redacting(_ headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(
            headers.map { field in
                var field = field
                field.text = redactedText(of: field)
                return field
            })
    }
}

extension HTTPHeaders.Field {
    /// Returns the field as a line of text, without secrets and control characters.
    package func line(_ redaction: Redaction) -> String {
        "\(name): \(redaction.redactedValue(of: self))".printable
    }
}

extension HTTPError {
    /// Returns this error with its secrets hidden.
    func redacted(by redaction: Redaction) -> HTTPError {
        let url = redaction.redactingParameters(in: request.url)
        return HTTPError(
            reason.redacted(by: redaction), request: RequestSummary(method: request.method, url: url),
            attempt: attempt, redirects: redirects, underlying: underlying)
    }
}

extension HTTPError.Reason {
    /// Returns this reason with the secrets of its URLs hidden, and the control characters of a server's URL escaped.
    package func redacted(by redaction: Redaction) -> HTTPError.Reason {
        switch self {
        case .invalidRequest(let invalid): .invalidRequest(invalid.redacted(by: redaction))
        case .redirect(let redirect): .redirect(redirect.redacted(by: redaction))
        case .thrown(let error as any RedactableError, let thrower): .thrown(error.redacted(by: redaction), by: thrower)
        default: self
        }
    }
}

/// An error that names a request. The error of the request that fails with it hides its secrets.
package protocol RedactableError: Error {
    /// Returns this error with its secrets hidden.
    func redacted(by redaction: Redaction) -> Self
}

extension String {
    /// Returns this text with marks in place of secrets, and without user information.
    fileprivate func hiding(_ secrets: [URLSecrets.Secret]) -> String {
        guard !secrets.isEmpty else { return self }
        var shown: [UInt8] = []
        var rest = Array(utf8)[...]
        for secret in secrets where rest.startIndex <= secret.range.lowerBound {
            shown += rest[..<secret.range.lowerBound]
            if !secret.isUserInformation { shown += Redaction.mark.utf8 }
            rest = rest[secret.range.upperBound...]
        }
        return String(decoding: shown + rest, as: UTF8.self)
    }

    /// This target without user information (RFC 3986, section 3.2.1). It need not be a valid URL.
    package var withoutUserInformation: String {
        guard utf8.contains(UInt8(ascii: "@")) else { return self }
        if let url = URL(string: self), url.scheme == nil || url.host() != nil {
            // Not Foundation's text, in which encoded bytes may be encoded again.
            let reference = URLReference(self)
            return reference.hostAndPort.map { reference.replacing(authority: String(reference[$0])) } ?? self
        }
        // The text before the last at sign may be credentials, unless it is a path.
        guard utf8.first != UInt8(ascii: "/") || utf8.starts(with: "//".utf8) else { return self }
        return withoutTextBeforeHost
    }

    /// This URL without the text between the scheme and the last at sign. That text is the user information of a URL
    /// without a path, such as a proxy's.
    package var withoutTextBeforeHost: String {
        guard let sign = utf8.lastIndex(of: UInt8(ascii: "@")) else { return self }
        return String(self[..<authorityStart] + self[utf8.index(after: sign)...])
    }

    /// The index at which user information would begin: after two slashes at the start or after a scheme, otherwise the
    /// start.
    private var authorityStart: Index {
        let scheme = utf8.prefix { $0.isASCIIAlphanumeric || "+-.".utf8.contains($0) }
        var rest = utf8[scheme.endIndex...]
        if !scheme.isEmpty {
            guard rest.popFirst() == UInt8(ascii: ":") else { return startIndex }
        }
        return rest.starts(with: "//".utf8) ? utf8.index(rest.startIndex, offsetBy: 2) : startIndex
    }
}
