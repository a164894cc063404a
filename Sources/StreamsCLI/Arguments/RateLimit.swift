/// The value of `--limit-rate`.
enum RateLimit {
    /// Returns the number of bytes in a second; `nil`, which is no limit, for zero.
    ///
    /// As with curl, a suffix multiplies a whole number by a power of 1024, and `b` by 1. T and P are in curl's manual; 7.88
    /// does not take them.
    static func rate(_ option: NamedOption, _ text: String) throws(UsageError) -> Int? {
        let digits = text.prefix { $0.utf8.allSatisfy(\.isDigit) }
        guard !digits.isEmpty, let exponent = exponent(of: text[digits.endIndex...]) else {
            throw UsageError(
                "\(option.name) needs a whole number, and perhaps one of k, m, g, t and p, and \(text.quoted) is none")
        }
        let product = Int(digits)?.multipliedReportingOverflow(by: 1 << (10 * exponent))
        guard let product, !product.overflow else {
            throw UsageError("\(option.name) has a number that is too large: \(text.quoted)")
        }
        return product.partialValue > 0 ? product.partialValue : nil
    }

    private static func exponent(of suffix: Substring) -> Int? {
        switch suffix.lowercased() {
        case "", "b": 0
        case "k": 1
        case "m": 2
        case "g": 3
        case "t": 4
        case "p": 5
        default: nil
        }
    }
}
