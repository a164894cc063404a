import CURLOrigin
import Foundation

@testable import StreamsHTTP

private let bases = [
    "http://a/b/c/d;p?q", "https://api.example.com/v1", "http://127.0.0.1:8080/a/b/?x#f", "http://[::1]/a/",
    "https://example.com",
]

/// A location is resolved as RFC 3986, section 5.2, says, to a URL without user information that libcurl connects to
/// the same origin for. A target that names no origin stays at the base's.
func fuzzURL(_ input: inout Input) throws {
    let base = bases[Int(input.byte()) % bases.count]
    let (text, name, value) = (input.text(), input.text(), input.text())
    guard let baseURL = URL(string: base) else { return expect(false, "\(base) is no URL") }
    let resolver = URLResolver(baseURL: baseURL)
    if let target = try? resolver.target(ofLocation: text) {
        expectSafe(target.url.url, target.url.text, from: baseURL)
        expectAgreement(target.url.text, base: base, location: text)
        let again = try resolver.target(ofLocation: target.url.text)
        expectEqual(again.url.text, target.url.text, "resolved again, it is another URL")
    }
    let request = HTTPRequest(.get, text, query: HTTPQuery([HTTPQuery.Item(name, value)]))
    if let target = try? resolver.target(of: request) {
        expectSafe(target.url.url, target.url.text, from: baseURL)
        if URLReference(text).scheme == nil {
            expectEqual(origin(target.url.text), origin(base), "\(text.debugDescription) left the base's origin")
        }
    }
    let components = [text, name, value]
    let path = HTTPRequest.path(components: components)
    if let target = try? resolver.target(of: HTTPRequest(.get, path)) {
        expectEqual(origin(target.url.text), origin(base), "\(path) left the base's origin")
        let segments = target.url.text.split(separator: "/", omittingEmptySubsequences: false).suffix(3)
        let tail = segments.map {
            String(decoding: $0.prefix { $0 != "?" && $0 != "#" }.utf8.percentDecoded, as: UTF8.self)
        }
        if text.utf8.first != nil { expectEqual(tail, components, "the segments of a path") }
    }
}

/// The origin that libcurl connects to, and whether it takes user information from the URL; `nil` if it refuses it.
private struct Origin: Equatable {
    let text: String
    let hasUser: Bool
}

private func origin(_ url: String) -> Origin? {
    var hasUser = false
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
        guard let start = buffer.baseAddress, curl_origin_of(url, start, buffer.count, &hasUser) else { return nil }
        return Origin(text: String(cString: start), hasUser: hasUser)
    }
}

private func expectSafe(_ url: URL, _ text: String, from base: URL) {
    expect(!text.utf8.contains { $0 <= 0x20 || $0 == 0x7F }, "a control character: \(text.debugDescription)")
    expectEqual(url.absoluteString, text, "Foundation reads another URL")
    expect(!URLReference(text).hasDotSegments, "\(text) has dot segments")
    expect(url.user == nil && url.password == nil, "\(text) has user information")
    guard let sent = origin(text), let known = origin(base.absoluteString) else { return }
    expect(!sent.hasUser, "libcurl takes user information from \(text)")
    expect(
        sent.text.lowercased() == known.text.lowercased() || !url.hasSameOrigin(as: base),
        "\(text) counts as \(known.text), and leads to \(sent.text)")
    expect(sent.text.hasPrefix("\(url.scheme?.lowercased() ?? "")://"), "\(text) leads to \(sent.text)")
}

/// Compares with the algorithm of RFC 3986, for what its grammar allows and the resolver does not change.
private func expectAgreement(_ resolved: String, base: String, location: String) {
    let reference = RFC3986(location)
    let parts = RFC3986(base).resolving(reference)
    let isPlain = parts.authority.map { URLReference("//\($0)").hasPlainAuthority } ?? false
    guard isPlain, reference.hasValidScheme, URLReference(location).isEncoded else { return }
    expectEqual(resolved, parts.text, "\(location.debugDescription) relative to \(base)")
}

/// A reference, split with RFC 3986's regular expression, and resolved with its pseudocode.
private struct RFC3986 {
    var scheme: String?
    var authority: String?
    var path = ""
    var query: String?
    var fragment: String?

    init(_ text: String) {
        var rest = Array(text.utf8)[...]
        if let end = rest.firstIndex(where: { ":/?#".utf8.contains($0) }), rest[end] == UInt8(ascii: ":"), end > 0 {
            scheme = Self.text(rest[..<end])
            rest = rest[(end + 1)...]
        }
        if let number = rest.firstIndex(of: UInt8(ascii: "#")) {
            fragment = Self.text(rest[(number + 1)...])
            rest = rest[..<number]
        }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = Self.text(rest[(mark + 1)...])
            rest = rest[..<mark]
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = Self.text(rest[..<end])
            rest = rest[end...]
        }
        path = Self.text(rest)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Whether the scheme, if there is one, is allowed by section 3.1. The expression accepts more.
    var hasValidScheme: Bool {
        guard let scheme else { return true }
        return (scheme.first?.isLetter ?? false)
            && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }

    /// Section 5.2.2.
    func resolving(_ reference: RFC3986) -> RFC3986 {
        var target = reference
        if reference.scheme != nil || reference.authority != nil {
            target.path = Self.removingDots(reference.path)
        } else {
            if reference.path.isEmpty {
                target.path = path
                target.query = reference.query ?? query
            } else if reference.path.utf8.first == UInt8(ascii: "/") {
                target.path = Self.removingDots(reference.path)
            } else {
                target.path = Self.removingDots(merged(with: reference.path))
            }
            target.authority = authority
        }
        target.scheme = reference.scheme ?? scheme
        return target
    }

    /// Section 5.2.3.
    private func merged(with other: String) -> String {
        guard authority == nil || !path.isEmpty else { return "/\(other)" }
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? ""
        return folder + other
    }

    /// Section 5.2.4.
    private static func removingDots(_ path: String) -> String {
        var input = Array(path.utf8)[...]
        var output: [UInt8] = []
        func begins(_ prefix: String) -> Bool { input.starts(with: prefix.utf8) }
        func equals(_ text: String) -> Bool { input.elementsEqual(text.utf8) }
        func removeSegment() { output.removeLast(output.count - (output.lastIndex(of: UInt8(ascii: "/")) ?? 0)) }
        while !input.isEmpty {
            if begins("../") {
                input = input.dropFirst(3)
            } else if begins("./") {
                input = input.dropFirst(2)
            } else if begins("/./") {
                input = input.dropFirst(2)
            } else if equals("/.") {
                input = Array("/".utf8)[...]
            } else if begins("/../") {
                input = input.dropFirst(3)
                removeSegment()
            } else if equals("/..") {
                input = Array("/".utf8)[...]
                removeSegment()
            } else if equals(".") || equals("..") {
                input = []
            } else {
                let end = input.dropFirst().firstIndex(of: UInt8(ascii: "/")) ?? input.endIndex
                output += input[..<end]
                input = input[end...]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Section 5.3.
    var text: String {
        (scheme.map { "\($0):" } ?? "") + (authority.map { "//\($0)" } ?? "") + path + (query.map { "?\($0)" } ?? "")
            + (fragment.map { "#\($0)" } ?? "")
    }
}
