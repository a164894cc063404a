/// The length that `Content-Length` declares (RFC 9110, section 8.6).
enum ContentLength: Equatable {
    /// There is no such field.
    case undeclared
    case bytes(Int64)
    /// The value is not a number, is too large, or differs from that of another field.
    case invalid
}

extension HTTPHeaders {
    /// The declared length of the body. A value can be a list of equal numbers (RFC 9112, section 6.3).
    var contentLength: ContentLength {
        var length = ContentLength.undeclared
        for field in fields where field.name.isEqualIgnoringASCIICase(to: "Content-Length") {
            let next = field.value.declaredLength
            guard next != .invalid, length == .undeclared || length == next else { return .invalid }
            length = next
        }
        return length
    }
}

extension String {
    fileprivate var declaredLength: ContentLength {
        if let number = decimalNumber { return .bytes(number) }
        let numbers = split(separator: ",", omittingEmptySubsequences: false).map {
            String($0).trimmingOptionalWhitespace.decimalNumber
        }
        guard let first = numbers.first, let first, numbers.allSatisfy({ $0 == first }) else { return .invalid }
        return .bytes(first)
    }
}
