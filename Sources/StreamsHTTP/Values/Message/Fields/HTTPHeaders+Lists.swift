extension HTTPHeaders {
    /// Returns whether a field that is a list has an element, ignoring its case.
    func hasListElement(_ element: String, of name: String) -> Bool {
        fields.contains { field in
            guard field.name.isEqualIgnoringASCIICase(to: name) else { return false }
            // Most lists have one element, for which nothing needs to be split.
            guard field.value.utf8.contains(where: { ", \t".utf8.contains($0) }) else {
                return field.value.isEqualIgnoringASCIICase(to: element)
            }
            return field.value.listElements.contains { $0.isEqualIgnoringASCIICase(to: element) }
        }
    }

    /// Returns the elements of a field that is a list.
    func listElements(of name: String) -> [String] {
        values(for: name).flatMap(\.listElements)
    }
}

extension String {
    /// The elements of a list, without empty ones (RFC 9110, section 5.6.1).
    fileprivate var listElements: [String] {
        split(separator: ",").map { String(String($0).trimmingOptionalWhitespace) }.filter { !$0.isEmpty }
    }
}
