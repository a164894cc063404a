/// An object whose end can be seen.
final class Keepsake: Sendable {
    private let onRelease: @Sendable () -> Void

    init(onRelease: @escaping @Sendable () -> Void = {}) {
        self.onRelease = onRelease
    }

    deinit {
        onRelease()
    }

    func touch() {}
}
