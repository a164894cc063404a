import CLibcurl

/// A handle of libcurl's, and what it is ready for.
struct CurlHandle {
    let easy: OpaquePointer
    let profile: CurlProfile
}

/// Makes an engine's handles. Making one costs more than a small request, so those that served well are used again, for
/// requests of the same profile alone: nothing of another's can be left in them.
///
/// Belongs to whoever has the loop.
final class CurlHandles {
    /// How many are kept.
    private static let limit = 256

    private let reactor: CurlReactor
    private let maxIdleTime: Duration
    @exclusivity(unchecked) private var spares: [CurlHandle] = []

    init(_ reactor: CurlReactor, maxIdleTime: Duration) {
        self.reactor = reactor
        self.maxIdleTime = maxIdleTime
    }

    deinit {
        discardSpares()
    }

    /// A handle that has served another transfer; `nil` where there is none.
    func spare(for profile: CurlProfile) -> CurlHandle? {
        spares.lastIndex { $0.profile == profile }.map { spares.remove(at: $0) }
    }

    /// A new handle.
    func make(for profile: CurlProfile) throws(TransportFailure) -> CurlHandle {
        guard let easy = curl_easy_init() else { throw TransportFailure(system: ENOMEM) }
        do {
            try reactor.follow(easy)
            try CurlConfiguration(easy: easy).apply(profile, maxIdleTime: maxIdleTime)
        } catch {
            curl_easy_cleanup(easy)
            throw error
        }
        return CurlHandle(easy: easy, profile: profile)
    }

    /// Takes a handle back whose transfer has ended well.
    func giveBack(_ handle: CurlHandle) {
        // With bodies come lengths, and few are the same.
        guard !handle.profile.hasBody else { return curl_easy_cleanup(handle.easy) }
        if spares.count == Self.limit { curl_easy_cleanup(spares.removeFirst().easy) }
        spares.append(handle)
    }

    func discardSpares() {
        for handle in spares { curl_easy_cleanup(handle.easy) }
        spares = []
    }
}
