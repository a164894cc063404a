/// The keys that frames are masked with. Each is used once, and none can be foreseen (RFC 6455, section 5.3).
///
/// The system is asked for many at a time: that takes as long as for one, which is longer than to write a small frame.
struct MaskKeys {
    /// The number of keys that are drawn at once. Each socket that has sent a frame keeps those that are left.
    private static let count = 32

    private var keys: [UInt32] = []

    /// Returns a key that has not been used.
    mutating func next() -> UInt32 {
        if keys.isEmpty { draw() }
        var random = SystemRandomNumberGenerator()
        return keys.popLast() ?? random.next()
    }

    /// Draws keys; none if the system has no random bytes yet.
    private mutating func draw() {
        keys = Array(unsafeUninitializedCapacity: Self.count) { keys, count in
            let memory = UnsafeMutableRawBufferPointer(keys)
            guard let address = memory.baseAddress, getentropy(address, memory.count) == 0 else { return }
            count = Self.count
        }
    }
}
