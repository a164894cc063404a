/// An object that counts its release.
final class ReleaseToken: Sendable {
    private let releases: Counter

    init(_ releases: Counter) {
        self.releases = releases
    }

    deinit {
        releases.increment()
    }
}
