extension HTTPHeaders {
    /// The time for which the response is fresh, by its `Cache-Control` and `Age` (RFC 9111, section 4.2); zero if it
    /// is unknown, or if each use needs the server's consent (section 5.2.2).
    var freshnessLifetime: Duration {
        let control = CacheControl(response: self)
        guard !control.isNoCache, !control.isNoStore, let lifetime = control.maxAge else { return .zero }
        let age = age
        return lifetime > age ? lifetime - age : .zero
    }

    /// The age of the response when it was received, by its `Age`: the first number if there are several ones, and zero
    /// if that is malformed (RFC 9111, section 5.1).
    var age: Duration {
        let first = self["Age"]?.split(separator: ",", omittingEmptySubsequences: false).first
        return first.flatMap { Duration(wholeSeconds: String($0).trimmingOptionalWhitespace) } ?? .zero
    }

    /// The date of `Expires`. Any malformed date, and different ones, are the distant past (RFC 9111, sections 4.2.1
    /// and 5.3); `nil` without the field.
    var expirationDate: Date? {
        guard contains("Expires") else { return nil }
        guard let text = unanimousValue(for: "Expires")?.string else { return .distantPast }
        return HTTPDate.strict(String(text.trimmingOptionalWhitespace))?.date ?? .distantPast
    }

    /// Returns the date of a field; `nil` if it is missing or malformed, or if there are different ones.
    func date(of name: String) -> Date? {
        unanimousValue(for: name).flatMap { HTTPDate(String($0.string.trimmingOptionalWhitespace)) }?.date
    }
}
