/// The search for a stored response to a request: the keys to look up, and the decision about the records found.
///
/// ```swift
/// var lookup = CacheLookup(request, secret: store.secret)
/// var key = lookup.firstKey
/// while let next = key { key = lookup.next(after: record(next)) }     // at most three
/// switch lookup.decision(at: now) { ... }
/// ```
struct CacheLookup: Sendable {
    /// The request.
    let request: TransportRequest
    /// The credentials of the request; `nil` if it has none.
    let identity: CacheIdentity?
    /// The directives of the request.
    let control: CacheControl
    /// The key of the first record for the URL.
    let rootKey: CacheKey
    /// The first record for the URL, once it has been looked up.
    private(set) var root: CacheRecord?
    /// The stored response to the request, and its key, once it has been found.
    private(set) var found: (key: CacheKey, response: StoredResponse)?

    private enum Step {
        case root
        /// Looks for the variant of the request's own credentials.
        case own(CacheKey)
        /// Looks for the variant of no credentials.
        case anonymous(CacheKey)
        case end
    }

    private var step = Step.root

    /// Creates the search for the response to a request.
    ///
    /// - Parameter secret: The secret of the store.
    init(_ request: TransportRequest, secret: [UInt8]) {
        self.request = request
        identity = CacheIdentity(of: request, secret: secret)
        control = CacheControl(request: request.headers)
        rootKey = CacheKey(url: request.lazyURL, connection: request.connection)
    }

    /// The key to look up first; `nil` if nothing that is stored matters to the request. ``decision(at:)`` is then
    /// final.
    var firstKey: CacheKey? { exclusion == nil ? rootKey : nil }

    /// Takes the record that was found for a key.
    ///
    /// - Parameter record: The record; `nil` if there is none.
    /// - Returns: The key to look up next; `nil` at the end.
    mutating func next(after record: CacheRecord?) -> CacheKey? {
        switch step {
        case .root: return nextAfterRoot(record)
        case .own(let key):
            if take(record, at: key, of: identity) { return nil }
            guard identity?.isOfCookies == true, case .variants(let generation, let names) = root else { return end() }
            let anonymous = variant(generation, nil, names)
            step = .anonymous(anonymous)
            return anonymous
        case .anonymous(let key):
            _ = take(record, at: key, of: nil)
            return end()
        case .end: return nil
        }
    }

    private mutating func nextAfterRoot(_ record: CacheRecord?) -> CacheKey? {
        root = record
        switch record {
        case .variants(let generation, let names):
            let key = variant(generation, identity, names)
            step = .own(key)
            return key
        case .response, nil:
            if !take(record, at: rootKey, of: identity), identity?.isOfCookies == true {
                _ = take(record, at: rootKey, of: nil)
            }
            return end()
        }
    }

    private mutating func take(_ record: CacheRecord?, at key: CacheKey, of identity: CacheIdentity?) -> Bool {
        guard let response = record?.response, response.identity == identity,
            response.isSelected(by: request.headers),
            identity == self.identity || !response.headers.areSelectedByCredentials
        else { return false }
        found = (key, response)
        _ = end()
        return true
    }

    private mutating func end() -> CacheKey? {
        step = .end
        return nil
    }

    private func variant(_ generation: UInt64, _ identity: CacheIdentity?, _ names: [String]) -> CacheKey {
        let fields = names.map { SelectingField($0, in: request.headers) }
        return rootKey.variant(generation: generation, identity: identity, fields: fields)
    }
}

// MARK: Placement

/// The place of a response to store.
struct CachePlacement: Hashable, Sendable {
    /// The key of the response.
    let key: CacheKey
    /// The record to put under ``CacheLookup/rootKey`` before the response; `nil` if it stays as it is.
    let root: CacheRecord?
}

extension CacheLookup {
    /// Returns the place of a response to store.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - root: The record under ``rootKey`` at this moment; `nil` if there is none.
    ///   - generation: A random number for a new generation of variants.
    func placement(
        of response: StoredResponse, over root: CacheRecord?, generation: @autoclosure () -> UInt64
    ) -> CachePlacement {
        let names = response.selectingFields.map(\.name)
        if case .variants(let current, let currentNames) = root {
            // All variants of a URL are selected by the same fields, whichever of them a response names.
            let union = Set(currentNames).union(names).sorted()
            if union.count <= SelectingField.maxCount {
                let key = variant(current, response.identity, union)
                let isSame = union == currentNames
                return CachePlacement(key: key, root: isSame ? nil : .variants(generation: current, fields: union))
            }
        } else if response.identity == nil, names.isEmpty {
            return CachePlacement(key: rootKey, root: nil)
        }
        let generation = generation()
        return CachePlacement(
            key: variant(generation, response.identity, names), root: .variants(generation: generation, fields: names))
    }
}
