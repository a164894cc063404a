/// Masks the values of certain members of JSON, byte for byte, without minding what stands around it: also where the
/// text is a fragment, or has JSON in its lines.
struct MemberMasker {
    private var bytes: [UInt8]
    private let members: Set<String>
    private var position = 0

    init(_ data: Data, members: Set<String>) {
        bytes = Array(data)
        self.members = members
    }

    mutating func masked() -> Data {
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "\"") else {
                position += 1
                continue
            }
            let name = readString()
            skipBlanks()
            guard position < bytes.count, bytes[position] == UInt8(ascii: ":") else { continue }
            position += 1
            skipBlanks()
            if members.contains(Self.text(bytes[name]).lowercased()) { maskValue() }
        }
        return Data(bytes)
    }

    /// Reads a string, or what is there of one.
    ///
    /// - Returns: Where its contents are.
    private mutating func readString() -> Range<Int> {
        let start = position + 1
        position = start
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        let end = min(position, bytes.count)
        position = min(end + 1, bytes.count)
        return start..<end
    }

    private mutating func skipBlanks() {
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
    }

    /// Masks a value: a string, a number, or all that is in an object or an array.
    private mutating func maskValue() {
        var depth = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                for index in readString() { bytes[index] = UInt8(ascii: "*") }
                if depth == 0 { return }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                // The end of what it is a member of is not part of it.
                if depth < 0 { return }
                position += 1
                if depth == 0 { return }
            case UInt8(ascii: ",") where depth == 0:
                return
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                bytes[position] = UInt8(ascii: "1")
                position += 1
            default:
                position += 1
            }
        }
    }

    /// The text of a string's contents, escapes and all.
    private static func text(_ contents: ArraySlice<UInt8>) -> String {
        let plain = String(decoding: contents, as: UTF8.self)
        guard contents.contains(UInt8(ascii: "\\")) else { return plain }
        return (try? JSONDecoder().decode([String].self, from: Data("[\"\(plain)\"]".utf8)).first) ?? plain
    }
}
