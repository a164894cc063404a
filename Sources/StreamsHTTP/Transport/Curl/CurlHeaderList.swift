import CLibcurl

/// The header lines of a request as libcurl reads them: the links of a list and their texts, in one piece of memory.
///
/// libcurl goes through the list for each field that it might add, so what it says anyway, at little cost, is left out.
struct CurlHeaderList {
    /// The list; `nil` where it is empty.
    let first: UnsafeMutablePointer<CurlList>?

    /// - Parameters:
    ///   - hasBody: Whether libcurl sends a body, be it an empty one.
    ///   - codings: What the response is asked for in, where the headers do not say it.
    init(_ headers: HTTPHeaders, hasBody: Bool, codings: String?) {
        var (count, size) = (0, 0)
        Self.forEachLine(headers, hasBody, codings) { name, separator, value in
            count += 1
            size += name.utf8.count + separator.utf8.count + value.utf8.count + 1
        }
        guard count > 0 else {
            first = nil
            return
        }
        let linkSize = count * MemoryLayout<CurlList>.stride
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: linkSize + size, alignment: MemoryLayout<CurlList>.alignment)
        let links = memory.bindMemory(to: CurlList.self, capacity: count)
        var link = links
        var text = memory + linkSize
        Self.forEachLine(headers, hasBody, codings) { name, separator, value in
            link.begin(text)
            text.write(name)
            text.write(separator)
            text.write(value)
            text.end()
        }
        links[count - 1].next = nil
        first = links
    }

    private static func forEachLine(
        _ headers: HTTPHeaders, _ hasBody: Bool, _ codings: String?, _ body: (String, String, String) -> Void
    ) {
        let saysAccept = headers.fields.count { $0.name.isEqualIgnoringASCIICase(to: "Accept") } == 1
        for field in headers.fields where !saysAccept || field.name != "Accept" || field.value != "*/*" {
            // A field without a value is written with a semicolon, as a colon would remove it.
            body(field.name, field.value.isEmpty ? ";" : ": ", field.value)
        }
        if let codings, !headers.contains("Accept-Encoding") { body("Accept-Encoding", ": ", codings) }
        // Left alone, libcurl waits a second, before it sends a body, for a permission that few servers give.
        if hasBody, !headers.contains("Expect") { body("Expect", ":", "") }
    }

    /// Gives the memory back. The handle has been given back before.
    func deallocate() {
        UnsafeMutableRawPointer(first)?.deallocate()
    }
}

extension UnsafeMutablePointer<CurlList> {
    /// Makes a link here for the line that begins at a place, and steps to the next.
    fileprivate mutating func begin(_ line: UnsafeMutableRawPointer) {
        initialize(to: CurlList(data: line.assumingMemoryBound(to: CChar.self), next: self + 1))
        self += 1
    }
}

extension UnsafeMutableRawPointer {
    /// Writes a text here, and steps behind it.
    fileprivate mutating func write(_ text: String) {
        UnsafeMutableRawBufferPointer(start: self, count: text.utf8.count).copyBytes(from: text.utf8)
        self += text.utf8.count
    }

    /// Ends a text of C's here, and steps behind it.
    fileprivate mutating func end() {
        storeBytes(of: 0, as: UInt8.self)
        self += 1
    }
}
