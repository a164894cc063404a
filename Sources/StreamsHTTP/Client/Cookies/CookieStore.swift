/// The cookies of a jar, by their domains. A value without a clock, a lock or a file.
struct CookieStore: Sendable {
    /// The most cookies of a domain, and of all (RFC 6265bis, section 6.1).
    private static let (maxPerDomain, maxCount) = (50, 3000)
    /// The most cookies of a site, as in Chrome and Firefox. Otherwise, sixty hosts of one site would fill the store.
    private static let maxPerSite = 180

    private struct Entry {
        var cookie: Cookie
        /// The site of the cookie's domain.
        let site: String
        /// The number of the insertion, which a cookie with the same identity inherits.
        let creation: UInt64
        /// The number of the last insertion or selection.
        var lastAccess: UInt64
    }

    private let suffixes: PublicSuffixes
    /// The cookies of each domain, in the order of their creation.
    private var domains: [String: [Entry]] = [:]
    private var count = 0
    /// The number of insertions and selections, by which cookies are ordered: times may be equal, or go back.
    private var clock: UInt64 = 0
    /// A time before which no cookie expires.
    private var nextExpiry = Date.distantFuture

    /// Creates an empty store.
    ///
    /// - Parameter suffixes: The public suffixes, below which sites are registered.
    init(suffixes: PublicSuffixes) {
        self.suffixes = suffixes
    }

    /// All cookies, in the order of their creation.
    var cookies: [Cookie] { domains.values.joined().sorted { $0.creation < $1.creation }.map(\.cookie) }

    /// Returns the cookie of an identity; `nil` if there is none.
    func cookie(with identity: Cookie.Identity) -> Cookie? {
        domains[identity.domain]?.first { $0.cookie.identity == identity }?.cookie
    }
}

// MARK: Retrieval

extension CookieStore {
    /// Returns the cookies to send with a request, in their order (RFC 6265bis, section 5.8.3).
    mutating func select(for origin: CookieOrigin, at date: Date) -> [Cookie] {
        var selected: [Entry] = []
        clock += 1
        removeExpired(at: date)
        for domain in origin.domains.lazy.map(String.init) {
            guard let index = domains.index(forKey: domain) else { continue }
            for place in domains.values[index].indices where origin.matches(domains.values[index][place].cookie) {
                domains.values[index][place].lastAccess = clock
                selected.append(domains.values[index][place])
            }
        }
        return selected.sorted(by: Self.isSentBefore).map(\.cookie)
    }

    private static func isSentBefore(_ left: Entry, _ right: Entry) -> Bool {
        let (leftSize, rightSize) = (left.cookie.pathText.byteCount, right.cookie.pathText.byteCount)
        return leftSize == rightSize ? left.creation < right.creation : leftSize > rightSize
    }
}

// MARK: Changes

extension CookieStore {
    /// Inserts a cookie in place of one with the same identity. If it has expired, only removes that one.
    mutating func insert(_ cookie: Cookie, at date: Date) {
        clock += 1
        removeExpired(at: date)
        let domain = cookie.domain
        let place = domains[domain]?.firstIndex { $0.cookie.hasSameIdentity(as: cookie) }
        guard !cookie.isExpired(at: date) else {
            if let place { remove(at: place, of: domain) }
            return
        }
        if let expiry = cookie.expires { nextExpiry = min(nextExpiry, expiry) }
        if let place {
            domains[domain]?[place].cookie = cookie
            domains[domain]?[place].lastAccess = clock
        } else {
            let site = domains[domain]?.first?.site ?? suffixes.site(of: domain)
            domains[domain, default: []].append(Entry(cookie: cookie, site: site, creation: clock, lastAccess: clock))
            count += 1
            removeExcess(of: domain, in: site)
        }
    }

    /// Inserts a cookie that a response has set, unless it came without TLS and would hide a secure one (RFC 6265bis,
    /// section 5.7, step 16).
    mutating func insert(_ cookie: Cookie, from origin: CookieOrigin, at date: Date) {
        removeExpired(at: date)
        guard origin.isSecure || !hasSecureCookie(like: cookie) else { return }
        insert(cookie, at: date)
    }

    private func hasSecureCookie(like cookie: Cookie) -> Bool {
        domains.contains { domain, entries in
            entries.contains {
                $0.cookie.isSecure && $0.cookie.nameText == cookie.nameText
                    && cookie.path.isInCookiePath($0.cookie.path)
            } && (domain.isInDomain(cookie.domain) || cookie.domain.isInDomain(domain))
        }
    }

    /// Removes a cookie, if the store has it as it is.
    mutating func remove(_ cookie: Cookie) {
        guard let place = domains[cookie.domain]?.firstIndex(where: { $0.cookie == cookie }) else { return }
        remove(at: place, of: cookie.domain)
    }

    /// Removes the cookies that have expired. Looks at them only if the first of them may have.
    mutating func removeExpired(at date: Date) {
        guard date >= nextExpiry else { return }
        domains = domains.compactMapValues { entries in
            let kept = entries.filter { !$0.cookie.isExpired(at: date) }
            return kept.isEmpty ? nil : kept
        }
        count = domains.values.reduce(0) { $0 + $1.count }
        nextExpiry = domains.values.joined().reduce(.distantFuture) { min($0, $1.cookie.expires ?? .distantFuture) }
    }

    private mutating func remove(at place: Int, of domain: String) {
        domains[domain]?.remove(at: place)
        count -= 1
        if domains[domain]?.isEmpty == true { domains[domain] = nil }
    }
}

// MARK: Limits

extension CookieStore {
    /// Removes the cookies above the limits.
    private mutating func removeExcess(of domain: String, in site: String) {
        removeExcess(of: [domain], above: Self.maxPerDomain)
        if count > Self.maxPerSite {
            removeExcess(of: domains.filter { $1.first?.site == site }.map(\.key), above: Self.maxPerSite)
        }
        while count > Self.maxCount, let oldest = leastRecentlyUsed(of: domains.keys) {
            remove(at: oldest.place, of: oldest.domain)
        }
    }

    /// Removes the cookies of domains that have too many: first those that are not secure, and then any. Of equal ones,
    /// that which has not been used for longest goes first.
    private mutating func removeExcess(of names: [String], above limit: Int) {
        while names.reduce(0, { $0 + (domains[$1]?.count ?? 0) }) > limit,
            let oldest = leastRecentlyUsed(of: names, where: { !$0.isSecure }) ?? leastRecentlyUsed(of: names)
        {
            remove(at: oldest.place, of: oldest.domain)
        }
    }

    /// Returns the place of the cookie that has not been used for longest.
    private func leastRecentlyUsed(
        of names: some Sequence<String>, where isCandidate: (Cookie) -> Bool = { _ in true }
    ) -> (domain: String, place: Int)? {
        var oldest: (domain: String, place: Int)?
        var earliest: (access: UInt64, creation: UInt64) = (.max, .max)
        for domain in names {
            for (place, entry) in (domains[domain] ?? []).enumerated()
            where (entry.lastAccess, entry.creation) < earliest && isCandidate(entry.cookie) {
                (oldest, earliest) = ((domain, place), (entry.lastAccess, entry.creation))
            }
        }
        return oldest
    }
}

// MARK: Merging

extension CookieStore {
    /// Merges the changes that others have made to a file with cookies.
    ///
    /// A cookie that differs from the former one of the file is a change of this store, and takes precedence, except the
    /// removal of a cookie that another process has set again meanwhile.
    ///
    /// - Parameters:
    ///   - changes: The changes of the file since the store was last merged.
    ///   - date: The present time.
    mutating func merge(_ changes: [CookieChange], at date: Date) {
        for change in changes {
            let own = cookie(with: change.identity)
            guard own == nil || own?.inFile == change.old else { continue }
            if let cookie = change.new { insert(cookie, at: date) } else if let own { remove(own) }
        }
    }
}

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
