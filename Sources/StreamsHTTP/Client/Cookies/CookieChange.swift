/// A difference between the cookies that a file had and those that it has.
struct CookieChange {
    let identity: Cookie.Identity
    /// The cookie that the file had; `nil` if it had none.
    let old: Cookie?
    /// The cookie that the file has; `nil` if it has none.
    let new: Cookie?

    /// Returns the differences, in the order of the file.
    ///
    /// - Parameters:
    ///   - base: The cookies that the file had.
    ///   - cookies: The cookies that it has. Of several with the same identity, the last counts.
    static func changes(from base: [Cookie.Identity: Cookie], to cookies: [Cookie]) -> [CookieChange] {
        let present = Dictionary(cookies.map { ($0.identity, $0) }) { $1 }
        let removals = base.filter { present[$0.key] == nil }.map { CookieChange(identity: $0, old: $1, new: nil) }
        return removals
            + cookies.compactMap { cookie in
                let identity = cookie.identity
                guard present[identity] == cookie, base[identity] != cookie else { return nil }
                return CookieChange(identity: identity, old: base[identity], new: cookie)
            }
    }
}
