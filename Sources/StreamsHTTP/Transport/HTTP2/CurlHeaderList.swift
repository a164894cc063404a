#if canImport(CLibcurl)
import CLibcurl

/// The header lines of a request as a linked list for libcurl, with links and texts in one allocation.
///
/// libcurl searches the list for each field that it may add itself, so fields that it adds cheaply are left out.
struct CurlHeaderList {
    /// The list, or `nil` if it is empty.
    let first: UnsafeMutablePointer<CurlList>?

    /// - Parameter codings: The accepted content codings, unless the headers contain them.
    init(_ headers: HTTPHeaders, hasBody: Bool, codings: String?) {
        var (count, size) = (0, 0)
        Self.forEachLine(headers, hasBody, codings) { name, separator, value in
            count += 1
            // The bytes of the value are at most as many as those of its text.
            size += name.utf8.count + separator.utf8.count + value.string.utf8.count + 1
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
        _ headers: HTTPHeaders, _ hasBody: Bool, _ codings: String?, _ body: (String, String, FieldText) -> Void
    ) {
        let acceptCount = headers.fields.count { $0.name.isEqualIgnoringASCIICase(to: "Accept") }
        for field in headers.fields where acceptCount != 1 || field.name != "Accept" || field.value != "*/*" {
            // libcurl sends a field without a value if it ends in a semicolon, and removes it if only blanks follow the
            // colon.
            let isBlank = field.value.utf8.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            body(field.name, isBlank ? ";" : ": ", isBlank ? "" : field.text)
        }
        // libcurl adds the field to a request from which it was removed.
        if acceptCount == 0 { body("Accept", ":", "") }
        if let codings, !headers.contains("Accept-Encoding") { body("Accept-Encoding", ": ", FieldText(codings)) }
        // By default, libcurl waits up to a second for 100 (Continue) before it sends a body, and few servers send it.
        if hasBody, !headers.contains("Expect") { body("Expect", ":", "") }
    }

    /// Deallocates the memory. The handle must not refer to it any more.
    func deallocate() {
        UnsafeMutableRawPointer(first)?.deallocate()
    }
}

extension UnsafeMutablePointer<CurlList> {
    /// Writes a link to a line, and advances.
    fileprivate mutating func begin(_ line: UnsafeMutableRawPointer) {
        initialize(to: CurlList(data: line.assumingMemoryBound(to: CChar.self), next: self + 1))
        self += 1
    }
}

extension UnsafeMutableRawPointer {
    /// Writes a text, and advances.
    fileprivate mutating func write(_ text: String) {
        UnsafeMutableRawBufferPointer(start: self, count: text.utf8.count).copyBytes(from: text.utf8)
        self += text.utf8.count
    }

    /// Writes the bytes of a text, and advances.
    fileprivate mutating func write(_ text: FieldText) {
        guard text.isLatin1 else { return write(text.string) }
        let bytes = text.bytes
        UnsafeMutableRawBufferPointer(start: self, count: bytes.count).copyBytes(from: bytes)
        self += bytes.count
    }

    /// Terminates a C string, and advances.
    fileprivate mutating func end() {
        storeBytes(of: 0, as: UInt8.self)
        self += 1
    }
}
#endif
