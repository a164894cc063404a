/// A hash function of the SHA-2 family (FIPS 180-4), computed piece by piece.
///
/// Neither the standard library nor libcurl has one on Linux.
struct SHA2: Sendable {
    /// The hash functions.
    enum Algorithm: String, Sendable {
        case sha256
        case sha512

        /// The length of a digest in bytes.
        var digestSize: Int { self == .sha256 ? 32 : 64 }
        /// The length of a block in bytes.
        fileprivate var blockSize: Int { self == .sha256 ? 64 : 128 }
    }

    let algorithm: Algorithm
    /// The state; SHA-256 uses the lower half of each word.
    private var state: [UInt64]
    /// The bytes after the last whole block.
    private var rest: [UInt8] = []
    private var count: UInt64 = 0

    init(_ algorithm: Algorithm) {
        self.algorithm = algorithm
        state = algorithm == .sha256 ? Self.initialState.map { $0 >> 32 } : Self.initialState
    }

    /// Appends bytes to the message.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        count &+= UInt64(bytes.count)
        var bytes = bytes[...]
        if !rest.isEmpty {
            let head = bytes.prefix(algorithm.blockSize - rest.count)
            rest.append(contentsOf: head)
            bytes = bytes.dropFirst(head.count)
            guard rest.count == algorithm.blockSize else { return }
            let block = rest
            rest.removeAll(keepingCapacity: true)
            block.withUnsafeBytes { compress($0) }
        }
        let whole = bytes.count - bytes.count % algorithm.blockSize
        compress(UnsafeRawBufferPointer(rebasing: bytes.prefix(whole)))
        rest.append(contentsOf: bytes.dropFirst(whole))
    }

    /// Returns the digest of the bytes so far.
    func digest() -> [UInt8] {
        var copy = self
        let lengthSize = algorithm.blockSize / 8
        // A one bit, zeros, and the length in bits, which fill the last block.
        var padding: [UInt8] = [0x80]
        let end = (rest.count + 1 + lengthSize) % algorithm.blockSize
        padding += [UInt8](repeating: 0, count: (end == 0 ? 0 : algorithm.blockSize - end) + lengthSize - 8)
        padding += Self.bigEndian(count << 3, size: 8)
        padding.withUnsafeBytes { copy.update($0) }
        let wordSize = algorithm.digestSize / 8
        return copy.state.flatMap { Self.bigEndian($0, size: wordSize) }
    }

    private static func bigEndian(_ word: UInt64, size: Int) -> [UInt8] {
        (1...size).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * (size - $0))) }
    }

    private mutating func compress(_ blocks: UnsafeRawBufferPointer) {
        guard !blocks.isEmpty else { return }
        switch algorithm {
        case .sha256: compress(blocks, by: UInt32.self)
        case .sha512: compress(blocks, by: UInt64.self)
        }
    }

    /// The first 64 bits of the fractional parts of the square roots of the first 8 primes.
    private static let initialState: [UInt64] = [
        0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1, 0x9b05_688c_2b3e_6c1f, 0x1f83_d9ab_fb41_bd6b, 0x5be0_cd19_137e_2179,
    ]

    /// The first 64 bits of the fractional parts of the cube roots of the first 80 primes. SHA-256 uses the upper half
    /// of the first 64.
    fileprivate static let constants: [UInt64] = [
        0x428a_2f98_d728_ae22, 0x7137_4491_23ef_65cd, 0xb5c0_fbcf_ec4d_3b2f, 0xe9b5_dba5_8189_dbbc,
        0x3956_c25b_f348_b538, 0x59f1_11f1_b605_d019, 0x923f_82a4_af19_4f9b, 0xab1c_5ed5_da6d_8118,
        0xd807_aa98_a303_0242, 0x1283_5b01_4570_6fbe, 0x2431_85be_4ee4_b28c, 0x550c_7dc3_d5ff_b4e2,
        0x72be_5d74_f27b_896f, 0x80de_b1fe_3b16_96b1, 0x9bdc_06a7_25c7_1235, 0xc19b_f174_cf69_2694,
        0xe49b_69c1_9ef1_4ad2, 0xefbe_4786_384f_25e3, 0x0fc1_9dc6_8b8c_d5b5, 0x240c_a1cc_77ac_9c65,
        0x2de9_2c6f_592b_0275, 0x4a74_84aa_6ea6_e483, 0x5cb0_a9dc_bd41_fbd4, 0x76f9_88da_8311_53b5,
        0x983e_5152_ee66_dfab, 0xa831_c66d_2db4_3210, 0xb003_27c8_98fb_213f, 0xbf59_7fc7_beef_0ee4,
        0xc6e0_0bf3_3da8_8fc2, 0xd5a7_9147_930a_a725, 0x06ca_6351_e003_826f, 0x1429_2967_0a0e_6e70,
        0x27b7_0a85_46d2_2ffc, 0x2e1b_2138_5c26_c926, 0x4d2c_6dfc_5ac4_2aed, 0x5338_0d13_9d95_b3df,
        0x650a_7354_8baf_63de, 0x766a_0abb_3c77_b2a8, 0x81c2_c92e_47ed_aee6, 0x9272_2c85_1482_353b,
        0xa2bf_e8a1_4cf1_0364, 0xa81a_664b_bc42_3001, 0xc24b_8b70_d0f8_9791, 0xc76c_51a3_0654_be30,
        0xd192_e819_d6ef_5218, 0xd699_0624_5565_a910, 0xf40e_3585_5771_202a, 0x106a_a070_32bb_d1b8,
        0x19a4_c116_b8d2_d0c8, 0x1e37_6c08_5141_ab53, 0x2748_774c_df8e_eb99, 0x34b0_bcb5_e19b_48a8,
        0x391c_0cb3_c5c9_5a63, 0x4ed8_aa4a_e341_8acb, 0x5b9c_ca4f_7763_e373, 0x682e_6ff3_d6b2_b8a3,
        0x748f_82ee_5def_b2fc, 0x78a5_636f_4317_2f60, 0x84c8_7814_a1f0_ab72, 0x8cc7_0208_1a64_39ec,
        0x90be_fffa_2363_1e28, 0xa450_6ceb_de82_bde9, 0xbef9_a3f7_b2c6_7915, 0xc671_78f2_e372_532b,
        0xca27_3ece_ea26_619c, 0xd186_b8c7_21c0_c207, 0xeada_7dd6_cde0_eb1e, 0xf57d_4f7f_ee6e_d178,
        0x06f0_67aa_7217_6fba, 0x0a63_7dc5_a2c8_98a6, 0x113f_9804_bef9_0dae, 0x1b71_0b35_131c_471b,
        0x28db_77f5_2304_7d84, 0x32ca_ab7b_40c7_2493, 0x3c9e_be0a_15c9_bebc, 0x431d_67c4_9c10_0d4c,
        0x4cc5_d4be_cb3e_42b6, 0x597f_299c_fc65_7e2a, 0x5fcb_6fab_3ad6_faec, 0x6c44_198c_4a47_5817,
    ]
}

// MARK: Rounds

extension SHA2 {
    private mutating func compress<Word: SHA2Word>(_ blocks: UnsafeRawBufferPointer, by type: Word.Type) {
        let size = MemoryLayout<Word>.size
        let constants = Word.constants
        withUnsafeTemporaryAllocation(of: Word.self, capacity: Word.roundCount) { schedule in
            for start in stride(from: 0, to: blocks.count, by: 16 * size) {
                for i in 0..<16 {
                    schedule[i] = Word(bigEndian: blocks.loadUnaligned(fromByteOffset: start + size * i, as: Word.self))
                }
                for i in 16..<Word.roundCount {
                    schedule[i] =
                        schedule[i - 16] &+ schedule[i - 15].smallSigma0 &+ schedule[i - 7]
                        &+ schedule[i - 2].smallSigma1
                }
                constants.withUnsafeBufferPointer { mix(UnsafeBufferPointer(schedule), $0) }
            }
        }
    }

    private mutating func mix<Word: SHA2Word>(
        _ schedule: UnsafeBufferPointer<Word>, _ constants: UnsafeBufferPointer<Word>
    ) {
        func word(_ index: Int) -> Word { Word(truncatingIfNeeded: state[index]) }
        var (a, b, c, d, e, f, g, h) = (word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7))
        for i in 0..<Word.roundCount {
            let first = h &+ e.bigSigma1 &+ (e & f ^ ~e & g) &+ constants[i] &+ schedule[i]
            let second = a.bigSigma0 &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ second)
        }
        for (index, change) in [a, b, c, d, e, f, g, h].enumerated() {
            state[index] = UInt64(word(index) &+ change)
        }
    }
}

/// A word of a hash function of the family, with the functions of FIPS 180-4, section 4.1.
private protocol SHA2Word: FixedWidthInteger, UnsignedInteger, BitwiseCopyable {
    static var roundCount: Int { get }
    static var constants: [Self] { get }
    var bigSigma0: Self { get }
    var bigSigma1: Self { get }
    var smallSigma0: Self { get }
    var smallSigma1: Self { get }
}

extension UInt32: SHA2Word {
    fileprivate static let roundCount = 64
    fileprivate static let constants = SHA2.constants.prefix(roundCount).map { UInt32($0 >> 32) }
    fileprivate var bigSigma0: UInt32 { rotated(2) ^ rotated(13) ^ rotated(22) }
    fileprivate var bigSigma1: UInt32 { rotated(6) ^ rotated(11) ^ rotated(25) }
    fileprivate var smallSigma0: UInt32 { rotated(7) ^ rotated(18) ^ self >> 3 }
    fileprivate var smallSigma1: UInt32 { rotated(17) ^ rotated(19) ^ self >> 10 }
}

extension UInt64: SHA2Word {
    fileprivate static let roundCount = 80
    fileprivate static let constants = SHA2.constants
    fileprivate var bigSigma0: UInt64 { rotated(28) ^ rotated(34) ^ rotated(39) }
    fileprivate var bigSigma1: UInt64 { rotated(14) ^ rotated(18) ^ rotated(41) }
    fileprivate var smallSigma0: UInt64 { rotated(1) ^ rotated(8) ^ self >> 7 }
    fileprivate var smallSigma1: UInt64 { rotated(19) ^ rotated(61) ^ self >> 6 }
}

extension FixedWidthInteger {
    /// Returns the bits rotated to the right.
    @inline(__always)
    fileprivate func rotated(_ count: Self) -> Self {
        self &>> count | self &<< (Self(Self.bitWidth) &- count)
    }
}
