/// The user name and the password of `-u`.
struct Credentials {
    let user: String
    let password: String

    /// Reads `USER:PASSWORD`. Messages never show it.
    init(_ argument: String) throws(UsageError) {
        guard argument.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw UsageError("-u cannot contain a line break or another control character")
        }
        guard let colon = argument.firstIndex(of: ":") else {
            throw UsageError("-u needs a password, and does not ask for it; write USER:PASSWORD")
        }
        user = String(argument[..<colon])
        password = String(argument[argument.index(after: colon)...])
    }
}
