/// An IPv4 or IPv6 address.
///
/// An IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2) is equal to the IPv4 address: both lead to the same host.
public struct IPAddress: Hashable, Sendable {
    // Two halves: the alignment of UInt128 would enlarge every event that may have an error.
    private let high: UInt64
    private let low: UInt64

    /// The address in IPv6; an IPv4 address is mapped.
    private var bits: UInt128 { UInt128(high) << 64 | UInt128(low) }

    private init(bits: UInt128) {
        high = UInt64(truncatingIfNeeded: bits >> 64)
        low = UInt64(truncatingIfNeeded: bits)
    }

    private init(ipv4: UInt32) {
        self.init(bits: UInt128(ipv4) | 0xFFFF << 32)
    }

    /// Creates an address from its text, such as `192.0.2.1` or `2001:db8::1`.
    ///
    /// - Parameter text: The text. Brackets, zones and abbreviated IPv4 addresses are not accepted: the result is `nil`.
    public init?(_ text: String) {
        // The system's functions would read only the part before it.
        guard !text.utf8.contains(0) else { return nil }
        var ipv4 = in_addr()
        var ipv6 = in6_addr()
        if inet_pton(AF_INET, text, &ipv4) == 1 {
            self.init(ipv4)
        } else if inet_pton(AF_INET6, text, &ipv6) == 1 {
            self.init(ipv6)
        } else {
            return nil
        }
    }

    /// Creates an address from a socket's; `nil` unless its family is IPv4 or IPv6.
    init?(_ address: UnsafePointer<sockaddr>) {
        switch CInt(address.pointee.sa_family) {
        case AF_INET:
            self.init(UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr)
        case AF_INET6:
            self.init(UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self).sin6_addr)
        default:
            return nil
        }
    }

    private init(_ address: in_addr) {
        self.init(ipv4: UInt32(bigEndian: address.s_addr))
    }

    private init(_ address: in6_addr) {
        self.init(bits: withUnsafeBytes(of: address) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) })
    }

    private var ipv4: UInt32? { bits >> 32 == 0xFFFF ? UInt32(truncatingIfNeeded: bits) : nil }
}

extension IPAddress: LosslessStringConvertible {
    /// The address as text (RFC 5952), without brackets; an IPv4-mapped address in the notation of IPv4.
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        if let ipv4 {
            var address = in_addr(s_addr: ipv4.bigEndian)
            inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
        } else {
            var address = bits.bigEndian
            inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Whether the address is written with colons.
    var isIPv6: Bool { ipv4 == nil }
}

// MARK: Ranges

extension IPAddress {
    /// Whether the address leads to the host itself: 127.0.0.0/8 (RFC 1122) or ::1 (RFC 4291).
    public var isLoopback: Bool {
        isIn([Block(127, 0, 0, 0, length: 8), Block([0, 0, 0, 0, 0, 0, 0, 1], length: 128)])
    }

    /// Whether the address is for private networks: 10.0.0.0/8, 172.16.0.0/12 and 192.168.0.0/16 (RFC 1918), unique
    /// local addresses, fc00::/7 (RFC 4193), and those that carriers share, 100.64.0.0/10 (RFC 6598).
    public var isPrivate: Bool { isIn(Self.privateBlocks) }

    /// Whether the address is for one link: 169.254.0.0/16 (RFC 3927), which has the metadata services of clouds, or
    /// fe80::/10 (RFC 4291).
    public var isLinkLocal: Bool { isIn([Block(169, 254, 0, 0, length: 16), Block([0xFE80], length: 10)]) }

    /// Whether the address is for a group of hosts: 224.0.0.0/4 (RFC 5771) or ff00::/8 (RFC 4291).
    public var isMulticast: Bool { isIn([Block(224, 0, 0, 0, length: 4), Block([0xFF00], length: 8)]) }

    /// Whether the address is 0.0.0.0 or ::, with which a connection leads to the host itself.
    public var isUnspecified: Bool { bits == 0 || ipv4 == 0 }

    /// Whether the address is of the public internet: none of those above, and none that IANA's registries of
    /// special-purpose addresses (RFC 6890) reserve. An IPv6 address that contains an IPv4 address for translation
    /// (64:ff9b::/96, RFC 6052) is public if that address is; those of the tunnels 6to4 and Teredo are not public.
    public var isPublic: Bool {
        if ipv4 != nil { return !isIn(Self.privateBlocks + Self.specialBlocks) }
        if isIn([Block([0x64, 0xFF9B], length: 96)]) {
            return IPAddress(ipv4: UInt32(truncatingIfNeeded: bits)).isPublic
        }
        // The block that is assigned for unicast (RFC 4291, section 2.4).
        return isIn([Block([0x2000], length: 3)]) && !isIn(Self.specialBlocks)
    }

    /// Returns whether an address of the same version begins with the same bits.
    ///
    /// - Parameters:
    ///   - other: The address.
    ///   - length: The number of bits. None of another version's, or of more than there are, begins alike.
    func hasPrefix(of other: IPAddress, length: Int64) -> Bool {
        let width: Int64 = isIPv6 ? 128 : 32
        guard isIPv6 == other.isIPv6, (0...width).contains(length) else { return false }
        return bits >> (width - length) == other.bits >> (width - length)
    }

    private func isIn(_ blocks: [Block]) -> Bool {
        blocks.contains { bits >> (128 - $0.length) == $0.prefix.bits >> (128 - $0.length) }
    }

    /// The addresses with a common prefix.
    private struct Block {
        let prefix: IPAddress
        /// The length of the prefix in bits, of an address in IPv6.
        let length: Int

        init(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8, length: Int) {
            prefix = IPAddress(ipv4: [first, second, third, fourth].reduce(0) { $0 << 8 | UInt32($1) })
            self.length = 96 + length
        }

        init(_ groups: [UInt16], length: Int) {
            prefix = IPAddress(bits: groups.reduce(0) { $0 << 16 | UInt128($1) } << (16 * (8 - groups.count)))
            self.length = length
        }
    }

    private static let privateBlocks = [
        Block(10, 0, 0, 0, length: 8), Block(172, 16, 0, 0, length: 12), Block(192, 168, 0, 0, length: 16),
        Block(100, 64, 0, 0, length: 10), Block([0xFC00], length: 7),
    ]

    private static let specialBlocks = [
        // This network, loopback and link-local.
        Block(0, 0, 0, 0, length: 8), Block(127, 0, 0, 0, length: 8), Block(169, 254, 0, 0, length: 16),
        // Protocol assignments, and the former relays of 6to4.
        Block(192, 0, 0, 0, length: 24), Block(192, 88, 99, 0, length: 24),
        // Documentation.
        Block(192, 0, 2, 0, length: 24), Block(198, 51, 100, 0, length: 24), Block(203, 0, 113, 0, length: 24),
        // Benchmarks; multicast, reserved and broadcast.
        Block(198, 18, 0, 0, length: 15), Block(224, 0, 0, 0, length: 3),
        // Protocol assignments with Teredo; documentation, twice; 6to4.
        Block([0x2001], length: 23), Block([0x2001, 0xDB8], length: 32), Block([0x3FFF], length: 20),
        Block([0x2002], length: 16),
    ]
}
