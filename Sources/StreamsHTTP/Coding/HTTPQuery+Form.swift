extension HTTPQuery {
    /// The items as a form, serialised as the WHATWG's URL standard specifies (section 5.2). A name without a value
    /// gets an empty value.
    var formEncoded: String {
        map { "\($0.name.formEncoded)=\(($0.value ?? "").formEncoded)" }.joined(separator: "&")
    }
}

extension String {
    /// The string, percent-encoded for `application/x-www-form-urlencoded` as the WHATWG's URL standard specifies.
    /// Spaces become plus signs.
    fileprivate var formEncoded: String {
        let encoded = percentEncoded { !($0.isASCIIAlphanumeric || "*-._ ".utf8.contains($0)) }
        let (space, plus) = (UInt8(ascii: " "), UInt8(ascii: "+"))
        return String(decoding: encoded.utf8.map { $0 == space ? plus : $0 }, as: UTF8.self)
    }
}
