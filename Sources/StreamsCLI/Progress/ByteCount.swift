/// A number of bytes in a readable unit: `713 B`, `4.2 MiB`.
struct ByteCount: CustomStringConvertible {
    private let bytes: Int64

    init(_ bytes: Int64) {
        self.bytes = bytes
    }

    /// - Parameter rate: The number of bytes per second. It may exceed every integer, because it depends on the server.
    init(rate: Double) {
        bytes = Int64(min(rate, 1e18))
    }

    var description: String {
        var amount = Double(bytes)
        var unit = "B"
        for larger in ["KiB", "MiB", "GiB", "TiB"] where amount >= 1023.95 {
            amount /= 1024
            unit = larger
        }
        guard unit != "B" else { return "\(bytes) B" }
        let tenths = Int((amount * 10).rounded())
        return amount < 99.95 ? "\(tenths / 10).\(tenths % 10) \(unit)" : "\(Int(amount.rounded())) \(unit)"
    }
}
