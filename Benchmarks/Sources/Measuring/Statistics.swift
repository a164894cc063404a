import Foundation

extension Sequence<Double> {
    /// The median.
    public var median: Double { quantile(0.5) }

    /// Returns the value that a fraction of all values is below; NaN if there are none.
    public func quantile(_ fraction: Double) -> Double {
        let values = sorted()
        guard let last = values.last else { return .nan }
        let position = fraction * Double(values.count - 1)
        let index = Int(position)
        let next = index + 1 < values.count ? values[index + 1] : last
        return values[index] + (next - values[index]) * (position - Double(index))
    }

    /// The geometric mean; NaN if there are no values.
    public var geometricMean: Double {
        var product = 0.0
        var count = 0.0
        for value in self {
            product += log(value)
            count += 1
        }
        return exp(product / count)
    }
}
