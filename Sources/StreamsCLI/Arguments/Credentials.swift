import StreamsHTTP

/// The user name and the password of `-u`.
struct Credentials {
    let user: FieldText
    let password: FieldText

    /// Reads the token of `--oauth2-bearer`. Messages never show it.
    static func token(_ argument: String) throws(UsageError) -> String {
        guard argument.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw UsageError("--oauth2-bearer cannot contain a blank or a control character")
        }
        return argument
    }

    /// Reads `USER:PASSWORD`. Messages never show it.
    init(_ argument: FieldText) throws(UsageError) {
        let text = argument.string
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw UsageError("-u cannot contain a line break or another control character")
        }
        guard let colon = text.firstIndex(of: ":") else {
            throw UsageError("-u needs a password, and does not ask for it; write USER:PASSWORD")
        }
        user = FieldText(text[..<colon], of: argument)
        password = FieldText(text[text.index(after: colon)...], of: argument)
    }
}
