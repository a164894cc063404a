import CLibcurl

/// The header lines of a request as libcurl reads them: the links of a list and their texts, in one piece of memory.
///
/// libcurl goes through the list for each field that it might add, so what it says anyway is left out.
struct CurlHeaderList {
    /// The list; `nil` where it is empty.
    let first: UnsafeMutablePointer<CurlList>?

    /// - Parameter hasBody: Whether libcurl sends a body, be it an empty one.
    init(_ headers: HTTPHeaders, hasBody: Bool) {
        let saysAccept = headers.fields.count { $0.name.isEqualIgnoringASCIICase(to: "Accept") } == 1
        let isWritten: (HTTPHeaders.Field) -> Bool = { !saysAccept || $0.name != "Accept" || $0.value != "*/*" }
        // Left alone, libcurl waits a second, before it sends a body, for a permission that few servers give.
        let forbidsExpectation = hasBody && !headers.contains("Expect")

        var count = forbidsExpectation ? 1 : 0
        var size = forbidsExpectation ? Self.noExpectation.utf8.count + 1 : 0
        for field in headers.fields where isWritten(field) {
            count += 1
            size += field.name.utf8.count + Self.separator.utf8.count + field.value.utf8.count + 1
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
        for field in headers.fields where isWritten(field) {
            link.begin(text)
            text.write(field.name)
            // A field without a value is written with a semicolon, as a colon would remove it.
            text.write(field.value.isEmpty ? ";" : Self.separator)
            text.write(field.value)
            text.end()
        }
        if forbidsExpectation {
            link.begin(text)
            text.write(Self.noExpectation)
            text.end()
        }
        links[count - 1].next = nil
        first = links
    }

    /// Gives the memory back. The handle has been given back before.
    func deallocate() {
        UnsafeMutableRawPointer(first)?.deallocate()
    }

    private static let separator = ": "
    private static let noExpectation = "Expect:"
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
