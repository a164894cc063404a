import Foundation

extension Sequence<Double> {
    /// The value that as many are below as above.
    public var median: Double { quantile(0.5) }

    /// The value that a fraction of all is below. Not a number if there are none.
    public func quantile(_ fraction: Double) -> Double {
        let values = sorted()
        guard let last = values.last else { return .nan }
        let position = fraction * Double(values.count - 1)
        let index = Int(position)
        let next = index + 1 < values.count ? values[index + 1] : last
        return values[index] + (next - values[index]) * (position - Double(index))
    }

    /// The mean of ratios. Not a number if there are none.
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
